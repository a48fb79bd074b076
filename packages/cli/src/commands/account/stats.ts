import { defineCommand } from '../../define-command.ts';
import { CliFailure } from '../../failure.ts';
import { showDays } from '../../output/views/account-stats.ts';
import { callAndShow } from '../../run-operation.ts';

/** The statistics; as text, with a chart of the days below, which comes from another operation. */
export const definition = defineCommand({
  id: 'account.stats',
  shortcut: 'stats',
  async run({ command, values }, connection, output) {
    const code = await callAndShow(command, values, connection, output);
    if (output.isJson) return code;
    const query = values['window'] === undefined ? {} : { window: values['window'] };
    try {
      const { data } = await connection.callCommand(
        'account.volume',
        { params: {}, query, headers: {}, body: undefined },
        0,
      );
      showDays(data, output);
    } catch (error) {
      // The chart is optional: the statistics are printed already.
      if (!(error instanceof CliFailure)) throw error;
    }
    return code;
  },
});

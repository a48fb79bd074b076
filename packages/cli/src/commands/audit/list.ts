import { findActorNames } from '../../audit/actor-names.ts';
import { defineCommand } from '../../define-command.ts';
import { EXIT_CODES } from '../../exit-codes.ts';
import { placeValues } from '../../operation-input.ts';
import { isRecord, recordsOf, textOf } from '../../output/json-value.ts';
import { showAuditList } from '../../output/views/audit-list.ts';

/** A table shows the names of actors, which the API returns as ids. */
export const definition = defineCommand({
  id: 'audit.list',
  async run({ command, values }, connection, output) {
    const { data } = await connection.callCommand(command.id, placeValues(command, values));
    if (output.isJson) {
      output.writeJson(data);
      return EXIT_CODES.done;
    }
    const page = isRecord(data) ? data : {};
    const entries = recordsOf(page['entries']);
    const names = await findActorNames(
      entries.map(({ actor }) => textOf(actor)),
      connection,
    );
    const named = entries.map((entry) => ({ ...entry, actor: names.get(textOf(entry['actor'])) ?? entry['actor'] }));
    showAuditList({ ...page, entries: named }, output);
    return EXIT_CODES.done;
  },
});

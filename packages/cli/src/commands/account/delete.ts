import type { CliIo } from '../../cli-io.ts';
import { defineCommand } from '../../define-command.ts';
import { EXIT_CODES } from '../../exit-codes.ts';
import { ownFailure, usageFailure } from '../../failure.ts';
import { placeValues } from '../../operation-input.ts';
import { isRecord, textOf } from '../../output/json-value.ts';
import { formatTime } from '../../output/time.ts';
import { singleLine } from '../../output/untrusted-text.ts';
import { switchFlag } from '../../own-flag.ts';

const CONFIRMATION = 'delete';

/** Deletes the account of the key after a confirmation. */
export const definition = defineCommand({
  id: 'account.delete',
  flags: { yes: switchFlag('--yes', 'Delete without asking; required if stdin is not a terminal.') },
  async run({ command, values, own }, connection, output, io) {
    if (own.yes !== true) await confirm(io);
    const { data } = await connection.callCommand(command.id, placeValues(command, values));
    if (output.isJson) {
      output.writeJson(data);
      return EXIT_CODES.done;
    }
    const at = isRecord(data) ? formatTime(singleLine(textOf(data['deletionScheduledAt']))) : '';
    output.writeText(`The account will be deleted on ${at}. Until then it works as usual.\n`);
    output.remark('To keep it: postrider account update --cancel-deletion');
    return EXIT_CODES.done;
  },
});

async function confirm({ stdin, stderr }: CliIo): Promise<void> {
  if (stdin.isTTY !== true) {
    throw usageFailure('deleting the account needs confirmation', 'To confirm: postrider account delete --yes');
  }
  stderr.write(`This deletes the account and all its data after a grace period. Type "${CONFIRMATION}" to confirm: `);
  if ((await readLine(stdin)) === CONFIRMATION) return;
  const fix = `Type "${CONFIRMATION}", or pass --yes.`;
  throw ownFailure(EXIT_CODES.usage, 'not_confirmed', 'Nothing was deleted', 'it was not confirmed', fix);
}

async function readLine(stdin: CliIo['stdin']): Promise<string> {
  let text = '';
  for await (const chunk of stdin) {
    text += typeof chunk === 'string' ? chunk : new TextDecoder().decode(chunk);
    if (text.includes('\n')) break;
  }
  stdin.destroy?.();
  return (text.split('\n')[0] ?? '').trim();
}

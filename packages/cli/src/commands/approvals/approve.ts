import type { ApiConnection } from '../../api-connection.ts';
import { decideHold, readReasons } from '../../approvals/decide-hold.ts';
import { foreseeRefusal } from '../../approvals/foresee-refusal.ts';
import { connectHeldSends } from '../../approvals/held-sends.ts';
import { FAILED, WHO_DECIDES } from '../../approvals/who-decides.ts';
import type { CliIo } from '../../cli-io.ts';
import { isConfirmed } from '../../confirm.ts';
import { defineCommand } from '../../define-command.ts';
import { EXIT_CODES } from '../../exit-codes.ts';
import { ownFailure } from '../../failure.ts';
import { textOf } from '../../output/json-value.ts';
import { wrapForTerminal } from '../../output/wrap-text.ts';
import { switchFlag } from '../../own-flag.ts';

export const definition = defineCommand({
  id: 'approvals approve',
  about: {
    summary: 'Approve a held send',
    description: `Approves one hold without the inbox. ${FAILED} ${WHO_DECIDES}`,
    needsKey: true,
    scope: { of: 'approvals.decide' },
    examples: [
      'postrider approvals approve <id>',
      'postrider approvals approve <id> --remember --note "Known customer."',
    ],
    inputs: [{ of: 'approvals.decide', only: ['id', 'note', 'contentHash'] }],
  },
  flags: {
    yes: switchFlag('--yes', 'Approve without asking, even if the acceptance check would refuse the message.'),
    remember: switchFlag('--remember', 'Trust these recipients for this key from now on.'),
  },
  async run({ values, own }, connection, output, io) {
    if (own.yes !== true && io.stdin.isTTY === true) await warn(textOf(values['id']), connection, io);
    const remember = own.remember === true ? { remember: true as const } : {};
    return await decideHold(values, { decision: 'approve', ...readReasons(values), ...remember }, connection, output);
  },
});

/** An approval is final, so a message that would not be sent needs confirmation. */
async function warn(id: string, connection: ApiConnection, io: CliIo): Promise<void> {
  const hold = await connectHeldSends(connection).read(id);
  const reasons = hold.status === 'pending' ? await foreseeRefusal(hold, connection) : [];
  if (reasons.length === 0) return;
  for (const reason of reasons) io.stderr.write(wrapForTerminal(`Warning: ${reason}`, io.stderr));
  io.stderr.write('If you approve it now, it is not sent, and the decision is final.\n');
  if (await isConfirmed('Approve it anyway?', io)) return;
  throw ownFailure(
    EXIT_CODES.usage,
    'not_confirmed',
    'Nothing was decided',
    'it was not confirmed',
    'The send is still held. Fix the problem first, or pass --yes.',
  );
}

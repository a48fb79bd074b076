import type { ApiConnection } from '../../api-connection.ts';
import { decideHold, readDecisionFields } from '../../approvals/decide-hold.ts';
import { connectHeldSends } from '../../approvals/held-sends.ts';
import { confirmApproval, warnOfRefusal } from '../../approvals/warn-of-refusal.ts';
import { FAILED, WHO_DECIDES } from '../../approvals/who-decides.ts';
import type { CliIo } from '../../cli-io.ts';
import { defineCommand } from '../../define-command.ts';
import { textOf } from '../../output/json-value.ts';
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
    if (own.yes !== true && io.stdin.isTTY === true) await confirmRefusal(textOf(values['id']), connection, io);
    const remember = own.remember === true ? { remember: true as const } : {};
    return await decideHold(
      values,
      { decision: 'approve', ...readDecisionFields(values), ...remember },
      connection,
      output,
    );
  },
});

async function confirmRefusal(id: string, connection: ApiConnection, io: CliIo): Promise<void> {
  const hold = await connectHeldSends(connection).read(id);
  if (hold.status === 'pending' && (await warnOfRefusal({ id: hold.id, recipients: null }, connection, io)))
    await confirmApproval('Approve it anyway?', true, io);
}

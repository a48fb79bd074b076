import { decideHold, readReasons } from '../../approvals/decide-hold.ts';
import { FAILED, WHO_DECIDES } from '../../approvals/who-decides.ts';
import { defineCommand } from '../../define-command.ts';
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
  flags: { remember: switchFlag('--remember', 'Trust these recipients for this key from now on.') },
  async run({ values, own }, connection, output) {
    const remember = own.remember === true ? { remember: true as const } : {};
    return await decideHold(values, { decision: 'approve', ...readReasons(values), ...remember }, connection, output);
  },
});

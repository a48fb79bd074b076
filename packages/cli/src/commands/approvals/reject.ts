import { decideHold, readDecisionFields } from '../../approvals/decide-hold.ts';
import { WHO_DECIDES } from '../../approvals/who-decides.ts';
import { defineCommand } from '../../define-command.ts';
import { contractChoiceFlag } from '../../own-flag.ts';

export const definition = defineCommand({
  id: 'approvals reject',
  about: {
    summary: 'Reject a held send',
    description: `Rejects one hold. The sender receives the code and the note, which an agent uses to correct itself. ${WHO_DECIDES}`,
    needsKey: true,
    scope: { of: 'approvals.decide' },
    examples: [
      'postrider approvals reject <id> --code wrong_recipient',
      'postrider approvals reject <id> --code other --note "Ask Ada first."',
    ],
    inputs: [{ of: 'approvals.decide', only: ['id', 'note', 'contentHash'] }],
  },
  flags: {
    code: contractChoiceFlag('--code <code>', 'Why it is rejected.', { of: 'approvals.decide', input: 'rejectCode' }),
  },
  async run({ values, own }, connection, output) {
    const code = own.code === undefined ? {} : { rejectCode: own.code };
    return await decideHold(values, { decision: 'reject', ...readDecisionFields(values), ...code }, connection, output);
  },
});

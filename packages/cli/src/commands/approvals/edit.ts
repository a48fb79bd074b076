import { reportDecision } from '../../approvals/decide-hold.ts';
import { type DiffLine, differencesBetween } from '../../approvals/differences.ts';
import { readEditFile, writeEditFile } from '../../approvals/edit-file.ts';
import { contentOf, editsBetween } from '../../approvals/held-content.ts';
import { connectHeldSends } from '../../approvals/held-sends.ts';
import { editNoticeOf, recipientsOf } from '../../approvals/hold.ts';
import { openEditor } from '../../approvals/open-editor.ts';
import { confirmApproval, warnOfRefusal } from '../../approvals/warn-of-refusal.ts';
import { FAILED, WHO_DECIDES } from '../../approvals/who-decides.ts';
import { defineCommand } from '../../define-command.ts';
import { EXIT_CODES } from '../../exit-codes.ts';
import { ownFailure, usageFailure } from '../../failure.ts';
import { textOf } from '../../output/json-value.ts';
import { severalLines, withoutInvisibles } from '../../output/untrusted-text.ts';
import { switchFlag } from '../../own-flag.ts';

/** Opens one hold in an editor and approves the changed message, bound to the content that was shown. */
export const definition = defineCommand({
  id: 'approvals edit',
  about: {
    summary: 'Change a held send and approve it',
    description: `Opens the held send as a file in $VISUAL or $EDITOR, shows your changes, asks you to confirm, and approves the changed message. ${FAILED} ${WHO_DECIDES}`,
    needsKey: true,
    scope: { of: 'approvals.decide' },
    examples: ['postrider approvals edit <id>', 'EDITOR=nano postrider approvals edit <id> --note "Kinder words."'],
    inputs: [{ of: 'approvals.decide', only: ['id', 'note'] }],
  },
  flags: {
    yes: switchFlag(
      '--yes',
      'Approve the changed message without asking, even if the acceptance check would refuse it.',
    ),
    remember: switchFlag(
      '--remember',
      'Trust these recipients for this key from now on. If several people must approve, each must ask for it.',
    ),
  },
  async run({ values, own }, connection, output, io) {
    const needsConfirmation = own.yes !== true;
    if (needsConfirmation && io.stdin.isTTY !== true) {
      throw usageFailure('the change needs confirmation', 'Run it in a terminal, or pass --yes.');
    }
    const heldSends = connectHeldSends(connection);
    const hold = await heldSends.read(textOf(values['id']));
    if (hold.status !== 'pending') {
      const fix = `See the decision: postrider approvals get ${hold.id}`;
      throw ownFailure(
        EXIT_CODES.refused,
        'approval_already_decided',
        'Nothing was decided',
        `it is already ${hold.status}`,
        fix,
      );
    }
    const verdict = readEditFile(await openEditor(writeEditFile(hold), io), hold);
    if (!verdict.ok) throw usageFailure(verdict.message, 'Nothing was decided. Edit it again.');
    const before = contentOf(hold);
    const edits = editsBetween(before, verdict.content);
    if (Object.keys(edits).length === 0) {
      throw ownFailure(
        EXIT_CODES.usage,
        'nothing_changed',
        'Nothing was decided',
        'nothing was changed',
        APPROVE_AS_IT_IS,
      );
    }
    io.stderr.write(differencesBetween(before, verdict.content).map(toText).join(''));
    const notice = editNoticeOf(hold);
    if (notice !== '') io.stderr.write(`${notice}\n`);
    if (needsConfirmation) {
      const isReaddressed = 'to' in edits || 'cc' in edits || 'bcc' in edits;
      const recipients = isReaddressed ? recipientsOf(verdict.content) : null;
      const isWarned = await warnOfRefusal({ id: hold.id, recipients }, connection, io);
      await confirmApproval(`Approve it with these changes${isWarned ? ' anyway' : ''}?`, isWarned, io);
    }
    const { note } = values;
    const result = await heldSends.decide(hold.id, {
      decision: 'approve',
      ...(hold.contentHash === null ? {} : { contentHash: hold.contentHash }),
      edits,
      ...(typeof note === 'string' ? { note } : {}),
      ...(own.remember === true ? { remember: true as const } : {}),
    });
    if (result.kind === 'decided') return reportDecision(result.hold, result.response, output);
    const isChanged = result.kind === 'changed';
    const code = isChanged ? 'approval_changed' : 'approval_already_decided';
    const detail = isChanged ? 'another user changed it in the meantime' : `it is already ${result.hold.status}`;
    throw ownFailure(
      EXIT_CODES.refused,
      code,
      'Nothing was decided',
      detail,
      `See it: postrider approvals get ${hold.id}`,
    );
  },
});

const APPROVE_AS_IT_IS = 'To approve it as it is: postrider approvals approve <id>';

const SIGNS = { title: '', same: '  ', removed: '- ', added: '+ ' } as const;

function toText({ kind, text }: DiffLine): string {
  return `${SIGNS[kind]}${withoutInvisibles(severalLines(text))}\n`;
}

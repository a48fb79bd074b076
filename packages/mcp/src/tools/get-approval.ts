import { type Approval, findOperation, votesInWords } from '@postrider/core';
import { UNTRUSTED_NOTE } from '../results.ts';
import { callingTool } from '../tool.ts';
import { describeHold, HELD_ADVICE, noteOf } from './approval-text.ts';
import { line, section } from './message-text.ts';

const operation = findOperation('approvals.get');

export const getApprovalTool = callingTool(operation, {
  // Only the view of a held send requests the review.
  shows: Object.keys(operation.output.shape).filter((name) => name !== 'review'),
  pagesBodies: true,
  structuredNotes: [UNTRUSTED_NOTE],
  toText: describeApproval,
});

function describeApproval(approval: Approval, untrusted: (text: string) => string): string {
  const { id, emailId, status, revision, outcome, problem, text, html } = approval;
  return [
    `Held send ${id} (email ${emailId}), revision ${revision}: ${status}`,
    ...describeHold(approval),
    ...line('Approvals', votesInWords(approval)),
    ...line('Outcome', outcome),
    ...line('Would be refused now', problem === null ? null : `${problem.code}: ${problem.detail}`),
    ...(status === 'pending' ? [HELD_ADVICE] : []),
    untrusted(
      [
        ...noteOf(approval),
        ...line('From', approval.from),
        ...line('To', approval.to.join(', ')),
        ...line('Cc', approval.cc.join(', ')),
        ...line('Bcc', approval.bcc.join(', ')),
        ...line('Reply-To', approval.replyTo),
        ...line('Subject', approval.subject),
        ...line('Agent', approval.agentName),
        ...line('Scheduled for', approval.scheduledAt),
        ...section(
          'Headers',
          Object.entries(approval.headers ?? {}).map(([name, value]) => `${name}: ${value}`),
        ),
        ...line('Unsubscribe link', approval.unsubscribe ? 'one per recipient' : null),
        ...section(
          'Attachments',
          approval.attachments.map(({ filename, contentType, size }) => `${filename} (${contentType}, ${size} bytes)`),
        ),
        ...(text ? ['Text body:', text] : []),
        ...(html ? ['HTML body:', html] : []),
      ].join('\n'),
    ),
  ].join('\n');
}

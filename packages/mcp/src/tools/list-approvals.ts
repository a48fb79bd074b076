import { type Approval, findOperation } from '@postrider/core';
import { UNTRUSTED_NOTE } from '../results.ts';
import { callingTool } from '../tool.ts';
import { toOneLine } from '../untrusted-text.ts';
import { describePage } from './page-text.ts';

const BODIES_NOTE = 'The rows have no bodies and headers: read one with get_approval. Only approvers decide.';

export const listApprovalsTool = callingTool(findOperation('approvals.list'), {
  toRecord: (page) => ({ ...page, approvals: page.approvals.map(toRow) }),
  structuredNotes: [UNTRUSTED_NOTE, BODIES_NOTE],
  toText: (page, untrusted) =>
    [describePage(page, { rows: page.approvals, noun: 'held sends', describeRow }, untrusted), BODIES_NOTE].join('\n'),
});

function toRow({ html: _html, text: _text, headers: _headers, problem, ...approval }: Approval) {
  return { ...approval, problem: problem?.code ?? null };
}

function describeRow({
  id,
  emailId,
  status,
  reasons,
  to,
  cc,
  bcc,
  subject,
  expiresAt,
}: ReturnType<typeof toRow>): string {
  const recipients = [...to, ...cc, ...bcc];
  const whom =
    recipients.length > 3
      ? `${recipients.slice(0, 3).join(', ')} and ${recipients.length - 3} more`
      : recipients.join(', ');
  const parts = [
    status,
    id,
    `email ${emailId}`,
    `held by ${reasons.join(', ')}`,
    `expires ${expiresAt}`,
    `to ${whom}`,
    subject,
  ];
  return `- ${toOneLine(parts.join(' | '))}`;
}

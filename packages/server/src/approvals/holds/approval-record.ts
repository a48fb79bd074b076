import {
  type Approval,
  type Approvers,
  type DecidedApproval,
  formatMailbox,
  type MessageApproval,
  maySee,
  type Problem,
  type Viewer,
} from '@postrider/core';
import type { ApprovalRow } from '../../db/queries/approvals.ts';
import type { MessageHold } from '../../db/queries/read-messages.ts';
import { redactProblem } from '../../visibility/redact-problem.ts';
import { namesMembers } from './names-members.ts';

/** A hold for the caller that decided it. Without the permission to read, it sees its decision and what came of it. */
export function toDecidedApproval(row: ApprovalRow, viewer: Viewer): DecidedApproval {
  const approval = toVisibleApproval(row, viewer);
  if (maySee(viewer, 'hold.record', row.keyId)) return approval;
  const { approvers, problem } = approval;
  return {
    ...approval,
    ...UNREAD,
    approvers: { ...approvers, memberIds: null },
    problem: problem === null ? null : { ...withoutRecipients(problem), detail: UNREAD_PROBLEM },
  };
}

const UNREAD = {
  ...{ reasons: [], keyId: null, keyName: null, agentName: null, source: null, channel: null },
  ...{ from: null, to: [], cc: [], bcc: [], subject: null, text: null, html: null, attachments: [] },
  ...{
    contentHash: null,
    scheduledAt: null,
    votes: [],
    replyTo: null,
    headers: null,
    unsubscribe: null,
    receipt: null,
  },
};

/** Details of refusals name recipients, domains and files. */
const UNREAD_PROBLEM = 'The acceptance check refused the message, and this caller may not read why.';

function withoutRecipients({ recipients: _recipients, errors: _errors, ...problem }: Problem): Problem {
  return problem;
}

/** A hold as a caller may see it. A resend of another key's message shows that message's content only to callers who may read it. */
export function toVisibleApproval(row: ApprovalRow, viewer: Viewer): Approval {
  const whole = toApproval(row);
  // It is signed as a whole, so the addresses in it cannot be left out.
  const isHidden = whole.receipt !== null && !maySee(viewer, 'hold.deciders', null) && namesMembers(whole.receipt);
  const approval = isHidden ? { ...whole, receipt: null } : whole;
  if (maySee(viewer, 'hold.content', row.issuerKeyId)) return approval;
  const blind = row.recipients.flatMap(({ kind, email }) => (kind === 'bcc' ? [email] : []));
  const problem =
    approval.problem === null ? null : redactProblem(approval.problem, { keyId: row.issuerKeyId, blind }, viewer);
  return { ...approval, ...UNSEEN, problem };
}

/** The content hash, which the receipt has too, is not keyed, so a caller could use it to check a guess at the content. */
const UNSEEN = {
  contentHash: null,
  receipt: null,
  html: null,
  text: null,
  headers: null,
  attachments: [],
  bcc: [],
  replyTo: null,
};

/** Converts a stored hold to the API's format. */
export function toApproval(row: ApprovalRow): Approval {
  const mailboxesOf = (kind: string) =>
    row.recipients
      .filter((recipient) => recipient.kind === kind)
      .map(({ name, email: address }) => formatMailbox({ name, address }));
  const { id, emailId, status, reasons, revision, contentHash, keyId, keyName, agentName } = row;
  const {
    from,
    subject,
    text,
    html,
    attachments,
    decidedBy,
    note,
    replyTo,
    headers,
    unsubscribe,
    rejectCode,
    outcome,
    problem,
  } = row;
  return {
    ...{ id, emailId, status, reasons: [...reasons], revision, contentHash, keyId, keyName, agentName },
    ...{ source: row.source, channel: row.channel, from },
    to: mailboxesOf('to'),
    cc: mailboxesOf('cc'),
    bcc: mailboxesOf('bcc'),
    ...{ subject, text, html, attachments: [...attachments] },
    scheduledAt: row.scheduledAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    decidedAt: row.decidedAt?.toISOString() ?? null,
    decidedBy,
    approvers: toApproversRecord(row),
    votes: row.votes.map((vote) => ({ ...vote, at: new Date(vote.at).toISOString() })),
    ...{ rejectCode, note, edited: [...row.edited], outcome, problem },
    ...{ replyTo, headers: headers === null ? null : { ...headers }, unsubscribe },
    receipt: row.receipt,
  };
}

/** The rules of a hold or a draft. */
export function toApproversRecord({
  needsPasskey: requirePasskey,
  approvalsNeeded: count,
  approverIds,
}: Pick<ApprovalRow, 'needsPasskey' | 'approvalsNeeded' | 'approverIds'>): Approvers {
  return { requirePasskey, count, memberIds: approverIds === null ? null : [...approverIds] };
}

/** The hold as included in a message. */
export function toMessageApproval(hold: MessageHold | null): MessageApproval | null {
  if (hold === null) return null;
  const { reasons, edited, expiresAt, ...shown } = hold;
  return { ...shown, reasons: [...reasons], edited: [...edited], expiresAt: new Date(expiresAt).toISOString() };
}

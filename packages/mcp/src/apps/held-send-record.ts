import { type Approval, type ApprovalReview, REASON_SENTENCES, REJECTIONS, votesInWords } from '@postrider/core';

/** A held send as the view shows it: what the key may read of it, cut to what a person reads in a small frame. */
export interface HeldSendRecord {
  readonly id: string;
  readonly emailId: string;
  readonly status: Approval['status'];
  /** Why it is held, in sentences. */
  readonly reasons: readonly string[];
  /** How many of several people have approved it, in words; null if one is enough. */
  readonly progress: string | null;
  readonly from: string;
  readonly replyTo: string | null;
  readonly to: Some;
  readonly cc: Some;
  readonly bcc: Some;
  readonly subject: string;
  readonly attachments: readonly { readonly filename: string; readonly size: number }[];
  readonly scheduledAt: string | null;
  readonly expiresAt: string;
  /** The names of the additional headers. */
  readonly headers: readonly string[];
  readonly unsubscribe: boolean;
  readonly revision: number;
  /** Null if the key may not see the content; bcc recipients and files are then missing too. */
  readonly contentHash: string | null;
  readonly keyName: string | null;
  readonly agentName: string | null;
  readonly decision: Decision | null;
  /** Null if the content could not be checked. */
  readonly review: ReviewRecord | null;
  /** The page where an approver decides; null if the address of the server is not known. */
  readonly page: string | null;
}

/** A list of which only the beginning is shown. */
export interface Some {
  readonly items: readonly string[];
  readonly count: number;
}

export interface Decision {
  readonly at: string | null;
  /** Why it was rejected, in words. */
  readonly reason: string | null;
  readonly note: string | null;
  /** The fields that the approver changed. */
  readonly edited: readonly string[];
  /** Why it could not be sent after the approval. */
  readonly problem: string | null;
}

export interface ReviewRecord {
  readonly findings: readonly {
    readonly level: 'danger' | 'warn' | 'note';
    readonly message: string;
    readonly text: string;
    readonly target: string | null;
  }[];
  readonly findingCount: number;
  /** False if a part of the message was not checked. */
  readonly isComplete: boolean;
  readonly links: readonly { readonly text: string; readonly target: string }[];
  readonly linkCount: number;
  readonly body: string | null;
  readonly bodyIsCut: boolean;
}

const MAILBOXES_MAX = 20;
const FINDINGS_MAX = 12;
const LINKS_MAX = 20;
const FILES_MAX = 20;
const LINE_CHARACTERS = 300;
const BODY_CHARACTERS = 4_000;

export function toHeldSendRecord(approval: Approval, page: string | null): HeldSendRecord {
  const { id, emailId, status, reasons, from, replyTo, to, cc, bcc, subject, attachments } = approval;
  const { scheduledAt, expiresAt, headers, unsubscribe, revision, contentHash, keyName, agentName } = approval;
  return {
    ...{ id, emailId, status, reasons: reasons.map((reason) => REASON_SENTENCES[reason]) },
    progress: votesInWords(approval),
    ...{ from: cut(from), replyTo: replyTo === null ? null : cut(replyTo), subject: cut(subject, 1_000) },
    ...{ to: some(to), cc: some(cc), bcc: some(bcc) },
    attachments: attachments.slice(0, FILES_MAX).map(({ filename, size }) => ({ filename: cut(filename), size })),
    ...{ scheduledAt, expiresAt, unsubscribe, revision, contentHash },
    headers: Object.keys(headers ?? {}).map((name) => cut(name, 80)),
    ...{ keyName: keyName === null ? null : cut(keyName), agentName: agentName === null ? null : cut(agentName) },
    decision: status === 'pending' ? null : toDecision(approval),
    review: toReview(approval.review ?? null),
    page,
  };
}

function toDecision({ decidedAt, rejectCode, note, edited, outcome, problem }: Approval): Decision {
  return {
    at: decidedAt,
    reason: rejectCode === null ? null : REJECTIONS[rejectCode],
    note: note === null || note === '' ? null : cut(note, 1_000),
    edited,
    problem: outcome === 'failed' ? cut(problem?.detail ?? 'It could not be sent.', 500) : null,
  };
}

function toReview(review: Approval['review'] | null): ReviewRecord | null {
  if (review == null) return null;
  const { links, linkCount, body, bodyIsCut } = review;
  const findings = withoutRepetitions(review.findings);
  return {
    findings: findings.slice(0, FINDINGS_MAX).map(({ level, message, text, target }) => ({
      ...{ level, message, text },
      target: target === null ? null : cut(target),
    })),
    findingCount: findings.length,
    isComplete: findings.every(({ kind }) => kind !== 'not-checked'),
    links: links.slice(0, LINKS_MAX).map(({ text, target }) => ({ text, target: cut(target) })),
    linkCount,
    body: body === null ? null : body.slice(0, BODY_CHARACTERS).toWellFormed(),
    bodyIsCut: bodyIsCut || (body?.length ?? 0) > BODY_CHARACTERS,
  };
}

/** The text of most messages is made from their HTML and has the same links, with their addresses. As in the console. */
function withoutRepetitions(findings: ApprovalReview['findings']): ApprovalReview['findings'] {
  const subjectOf = ({ kind, target, message }: (typeof findings)[number]) => JSON.stringify([kind, target, message]);
  const inHtml = new Set(findings.filter(({ place }) => place === 'html').map(subjectOf));
  return findings.filter((finding) => finding.place !== 'text' || !inHtml.has(subjectOf(finding)));
}

function some(mailboxes: readonly string[]): Some {
  return { items: mailboxes.slice(0, MAILBOXES_MAX).map((mailbox) => cut(mailbox)), count: mailboxes.length };
}

function cut(text: string, characters = LINE_CHARACTERS): string {
  return text.length <= characters ? text : `${text.slice(0, characters - 1).toWellFormed()}…`;
}

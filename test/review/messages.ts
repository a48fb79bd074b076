import { type Finding, type MessageToReview, reviewMessage } from '../../packages/review/src/index.ts';

/** A message of acme.example with the given parts. */
export function messageWith(parts: Partial<MessageToReview>): MessageToReview {
  return {
    ...{ from: 'Acme <billing@acme.example>', replyTo: null, to: ['ada@customer.example'], cc: [], bcc: [] },
    ...{ subject: 'Your invoice', text: null, html: null, attachments: [], ...parts },
  };
}

export function findingsIn(parts: Partial<MessageToReview>): readonly Finding[] {
  return reviewMessage(messageWith(parts)).findings;
}

/** `danger look-alike` and so on. */
export function kindsIn(parts: Partial<MessageToReview>): readonly string[] {
  return findingsIn(parts).map(({ level, kind }) => `${level} ${kind}`);
}

import { parseMailbox } from '@postrider/core';
import type { DeliveryContent } from '../db/queries/claim-deliveries.ts';
import type { TrackBody } from '../links/tracked-body.ts';
import type { UnsubscribeLinks } from '../unsubscribe/unsubscribe-links.ts';
import { type Attachment, composeMime, joinMessage, type Mailbox, type MimeMessage } from './compose-mime.ts';
import { signDkim } from './dkim-sign.ts';
import { HeaderRefusedError } from './mime-header.ts';
import { personalizeContent } from './personal-content.ts';
import type { SigningKeys } from './signing-keys.ts';

export type BuiltMessage =
  | { readonly ok: true; readonly mailFrom: string; readonly data: Buffer }
  | { readonly ok: false; readonly reason: string };

/** Makes the bytes of a stored message: composed, signed, the same on every attempt save for the signature's time. */
export interface MessageBuilder {
  /**
   * Not `ok` where the message can never be sent.
   * @param ordinals the recipients of the delivery it is for.
   * @throws where it may work another time: the key could not be read.
   */
  build(content: DeliveryContent, ordinals: readonly number[]): Promise<BuiltMessage>;
}

/** The files of a message, in order. */
export type ReadFiles = (accountId: string, messageId: string) => Promise<readonly Attachment[]>;

/**
 * Messages being made at once. libuv's pool signs with four threads; twice as many keeps each of them busy while the next is composed, and
 * more would only be composed too early, to lie about until a thread is free.
 */
const BUILDS_AT_ONCE = 8;

type MailboxVerdict = ReturnType<typeof parseMailbox>;

/** The same few senders come again and again. */
const MAILBOXES_KEPT = 1_000;

export function createMessageBuilder(
  keys: SigningKeys,
  links: UnsubscribeLinks,
  trackBody: TrackBody,
  readFiles: ReadFiles,
  now: () => Date,
): MessageBuilder {
  const inTurn = createGate(BUILDS_AT_ONCE);
  const readMailbox = rememberLast(MAILBOXES_KEPT, parseMailbox);

  async function build(content: DeliveryContent, ordinals: readonly number[]): Promise<BuiltMessage> {
    const from = readMailbox(content.fromGiven);
    if (!from.ok) return { ok: false, reason: `The stored sender ${from.message}.` };
    const key = await keys.find(content.accountId, content.fromDomain);
    if (key === null) return { ok: false, reason: `The sending domain ${content.fromDomain} is gone.` };
    const personal = personalizeContent(withTracking(content, trackBody), ordinals, links);
    if (!personal.ok) return personal;
    try {
      const replyTo = content.replyTo === null ? null : readMailbox(content.replyTo);
      const attachments = content.attachmentBytes === 0 ? [] : await readFiles(content.accountId, content.messageId);
      const composed = composeMime(
        toMimeMessage(personal.content, from.mailbox, replyTo?.ok ? [replyTo.mailbox] : [], attachments),
      );
      const signature = await signDkim(composed, key, { signedAt: now() });
      return { ok: true, mailFrom: from.mailbox.address, data: joinMessage(composed, [signature]) };
    } catch (error) {
      if (!(error instanceof HeaderRefusedError)) throw error;
      return { ok: false, reason: `The message cannot be composed: ${error.message}.` };
    }
  }

  return { build: (content, ordinals) => inTurn(() => build(content, ordinals)) };
}

function withTracking(content: DeliveryContent, trackBody: TrackBody): DeliveryContent {
  const { html, tracking } = content;
  return html === null || tracking === null ? content : { ...content, html: trackBody(html, tracking, content) };
}

function toMimeMessage(
  content: DeliveryContent,
  from: Mailbox,
  replyTo: readonly Mailbox[],
  attachments: readonly Attachment[],
): MimeMessage {
  const mailboxes = (kind: string) =>
    content.recipients.filter(({ k }) => k === kind).map(({ n, e }) => ({ name: n, address: e }));
  return {
    messageId: `${content.messageId}@${content.fromDomain}`,
    date: content.createdAt,
    from,
    to: mailboxes('to'),
    cc: mailboxes('cc'),
    replyTo,
    subject: content.subject,
    text: content.text,
    html: content.html,
    headers: Object.entries(content.headers),
    attachments,
    boundarySeed: content.messageId,
  };
}

/** Remembers the answers to up to `limit` questions, then begins anew. */
function rememberLast(limit: number, read: (given: string) => MailboxVerdict): (given: string) => MailboxVerdict {
  const known = new Map<string, MailboxVerdict>();
  return (given) => {
    const before = known.get(given);
    if (before !== undefined) return before;
    const verdict = read(given);
    if (known.size >= limit) known.clear();
    known.set(given, verdict);
    return verdict;
  };
}

/** Lets `limit` tasks run at once and the rest wait in line. */
function createGate(limit: number): <T>(task: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (task) => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await task();
    } finally {
      // Who waits next takes the place over, so that nobody who comes in between can slip in.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

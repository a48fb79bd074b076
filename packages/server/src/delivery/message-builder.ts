import { parseMailbox } from '@postrider/core';
import type { DeliveryContent } from '../db/queries/load-contents.ts';
import { reportLargeGarbage } from '../heap.ts';
import type { MailBody } from '../keys/sealed-body.ts';
import type { TrackingUrlsOf } from '../links/tracked-body.ts';
import type { Attachment } from '../mime/compose-mime.ts';
import { signWithAll } from '../mime/dkim-sign.ts';
import type { Receipts } from '../receipts/receipts.ts';
import { createSemaphore } from '../semaphore.ts';
import type { UnsubscribeLinks } from '../unsubscribe/unsubscribe-links.ts';
import { findApproval, isAsChecked } from './find-approval.ts';
import type { MessageMaker } from './message-maker.ts';
import { type MessageOrder, type NeverSent, unapproved } from './message-order.ts';
import { namesItsReader } from './personal-content.ts';
import type { SigningKeys } from './signing-keys.ts';

export type BuiltMessage =
  | {
      readonly ok: true;
      readonly mailFrom: string;
      readonly data: Buffer;
      /** The addresses of all approved recipients. Null if the message was never held. */
      readonly approvedFor: ReadonlySet<string> | null;
    }
  | NeverSent;

/** Builds the bytes of a stored message: composed and signed. They are the same on every attempt, except for the signature's time. */
export interface MessageBuilder {
  /**
   * Not `ok` if the message can never be sent.
   * @param ordinals the recipients of the delivery.
   * @throws if a retry may succeed: the key could not be read.
   */
  build(content: DeliveryContent, ordinals: readonly number[]): Promise<BuiltMessage>;
}

/** The files of a message, in order. */
export type ReadFiles = (accountId: string, messageId: string) => Promise<readonly Attachment[]>;

/** The envelope sender, which receives reports about these recipients. */
export type ReturnPathFor = (
  subject: { readonly accountId: string; readonly messageId: string; readonly ordinals: readonly number[] },
  host: string,
) => string;

/**
 * The most messages being built at once. Most of them wait for a thread of libuv's pool to sign them. A short queue there
 * runs empty whenever the main thread composes, sends or records for a few milliseconds, and leaves a core idle. With 8
 * instead of 128, a message cost a tenth more CPU. A longer queue would delay other work of the pool, such as compressing
 * a response.
 */
const BUILDS_AT_ONCE = 128;
/** A message counts once for each part of this size, because it is in memory several times, but at least eight fit at once. */
const COUNTED_BYTES = 8 * 1024;
const MOST_COUNTED = BUILDS_AT_ONCE / 8;

/** Total bytes of large messages being built at once: each is in memory about five times while it is composed. */
const BYTES_AT_ONCE = 32 * 1024 * 1024;
/** Smaller messages are limited by `BUILDS_AT_ONCE` only. */
const LARGE_BYTES = 64 * 1024;

/** Decrypts the stored bodies of the installation's own mail. */
export type OpenBody = (stored: MailBody) => MailBody;

type MailboxVerdict = ReturnType<typeof parseMailbox>;

/** The same few senders recur. */
const MAILBOXES_KEPT = 1_000;

export function createMessageBuilder(
  keys: SigningKeys,
  links: UnsubscribeLinks,
  trackingUrlsOf: TrackingUrlsOf,
  readFiles: ReadFiles,
  returnPathFor: ReturnPathFor,
  openBody: OpenBody,
  now: () => Date,
  maker: MessageMaker,
  readReceipt: Receipts['read'],
): MessageBuilder {
  const builds = createSemaphore(BUILDS_AT_ONCE);
  const largeBytes = createSemaphore(BYTES_AT_ONCE);
  const readMailbox = rememberLast(MAILBOXES_KEPT, parseMailbox);

  async function build(content: DeliveryContent, ordinals: readonly number[], bytes: number): Promise<BuiltMessage> {
    const { accountId, messageId, tracking } = content;
    const approval = await findApproval(content, readReceipt);
    if (!approval.ok) return approval;
    const { approved } = approval;
    const from = readMailbox(content.fromGiven);
    if (!from.ok) return { ok: false, reason: `The stored sender ${from.message}.` };
    const identity = await keys.find(accountId, content.fromDomain);
    if (identity === null) return { ok: false, reason: notVerified(content.fromDomain) };
    const replyTo = content.replyTo === null ? null : readMailbox(content.replyTo);
    const attachments = content.attachmentBytes === 0 ? [] : await readFiles(accountId, messageId);
    const order: MessageOrder = {
      ...{ content, ordinals, attachments, from: from.mailbox, replyTo: replyTo?.ok ? [replyTo.mailbox] : [] },
      opened: content.isSealed ? openBody({ html: content.html, text: content.text }) : null,
      trackingUrls: tracking === null ? null : trackingUrlsOf(tracking, content),
      unsubscribeUrl: unsubscribeUrlOf(content, ordinals),
      approved,
    };
    const made = await maker.make(order, bytes);
    if (!made.ok) return made;
    const signatures = await signWithAll(made.canonical, identity.keys, { signedAt: now() });
    const mailFrom = returnPathFor({ accountId, messageId, ordinals }, identity.returnPathHost);
    const data = made.sign(signatures);
    if (approved === null) return { ok: true, mailFrom, data, approvedFor: null };
    if (!(await isAsChecked(data, signatures, made.checkedDigest))) return unapproved('the signed message');
    return { ok: true, mailFrom, data, approvedFor: new Set(content.recipients.map(({ e }) => e)) };
  }

  /** Also null if the link is not in the message. */
  function unsubscribeUrlOf(content: DeliveryContent, [ordinal, ...others]: readonly number[]): string | null {
    if (ordinal === undefined || others.length > 0 || !namesItsReader(content)) return null;
    return links.urlFor({ accountId: content.accountId, messageId: content.messageId, ordinal });
  }

  return {
    async build(content, ordinals) {
      const bytes = bytesOf(content);
      // Acquired first, so that large messages that wait for memory do not delay small ones.
      const releaseBytes = bytes > LARGE_BYTES ? await largeBytes.acquire(bytes) : null;
      const counted = Math.min(MOST_COUNTED, Math.max(1, Math.ceil(bytes / COUNTED_BYTES)));
      const releaseBuild = await builds.acquire(counted);
      try {
        return await build(content, ordinals, bytes);
      } finally {
        releaseBuild();
        releaseBytes?.();
        // The files as they were read, and as they were passed to the thread.
        if (bytes > LARGE_BYTES) reportLargeGarbage(2 * bytes);
      }
    },
  };
}

function bytesOf({ attachmentBytes, html, text }: DeliveryContent): number {
  return attachmentBytes + (html?.length ?? 0) + (text?.length ?? 0);
}

/**
 * A domain that may not send when a message is due may not send it because of an earlier acceptance: for example after a
 * takeover, a removal, or 72 h without records.
 */
function notVerified(domain: string): string {
  return `The domain ${domain} was no longer verified in this account when the message was due, so the message was not sent.`;
}

/** Caches up to `limit` results, then starts over. */
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

import { parseMailbox } from '@postrider/core';
import type { DeliveryContent } from '../db/queries/claim-deliveries.ts';
import { composeMime, joinMessage, type MimeMessage } from './compose-mime.ts';
import { signDkim } from './dkim-sign.ts';
import type { SigningKeys } from './signing-keys.ts';

export type BuiltMessage =
  | { readonly ok: true; readonly mailFrom: string; readonly data: Buffer }
  | { readonly ok: false; readonly reason: string };

/** Makes the bytes of a stored message: composed, signed, the same on every attempt save for the signature's time. */
export interface MessageBuilder {
  build(content: DeliveryContent): Promise<BuiltMessage>;
}

/** Signatures under way at once: as many as libuv's thread pool has threads; more would only wait there. */
const SIGNATURES_AT_ONCE = 4;

export function createMessageBuilder(keys: SigningKeys, now: () => Date): MessageBuilder {
  const signing = createGate(SIGNATURES_AT_ONCE);
  return {
    async build(content) {
      const from = parseMailbox(content.fromGiven);
      if (!from.ok) return { ok: false, reason: `The stored sender ${from.message}.` };
      const key = await keys.find(content.accountId, content.fromDomain);
      if (key === null) return { ok: false, reason: `The sending domain ${content.fromDomain} is gone.` };
      const composed = composeMime(toMimeMessage(content, from.mailbox));
      const signature = await signing(() => signDkim(composed, key, { signedAt: now() }));
      return { ok: true, mailFrom: from.mailbox.address, data: joinMessage(composed, [signature]) };
    },
  };
}

function toMimeMessage(
  content: DeliveryContent,
  from: { readonly name: string | null; readonly address: string },
): MimeMessage {
  const mailboxes = (kind: string) =>
    content.recipients.filter(({ k }) => k === kind).map(({ n, e }) => ({ name: n, address: e }));
  const replyTo = content.replyTo === null ? null : parseMailbox(content.replyTo);
  return {
    messageId: `${content.messageId}@${content.fromDomain}`,
    date: content.createdAt,
    from: { name: from.name, address: from.address },
    to: mailboxes('to'),
    cc: mailboxes('cc'),
    replyTo: replyTo?.ok ? [{ name: replyTo.mailbox.name, address: replyTo.mailbox.address }] : [],
    subject: content.subject,
    text: content.text,
    html: content.html,
    headers: Object.entries(content.headers),
    boundarySeed: content.messageId,
  };
}

/** Lets `limit` tasks run at once and the rest wait in line. */
function createGate(limit: number): <T>(task: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (task) => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
    running += 1;
    try {
      return await task();
    } finally {
      running -= 1;
      waiting.shift()?.();
    }
  };
}

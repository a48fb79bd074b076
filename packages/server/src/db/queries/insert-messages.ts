import { foldAddress } from '@postrider/core';
import type { Query, Sql } from '../client.ts';
import { HOLD_PARTS, type HoldRow, insertHolds, lockHoldingKeys, type NewHold } from './insert-holds.ts';
import { STATEMENT } from './insert-messages-statement.ts';
import { type SendCharge, sendLimits } from './insert-sends.ts';
import { insertAttachment, type NewAttachmentRow } from './message-attachments.ts';

/** One accepted message as it is written: the log row, the body, and the rows that hang on it. Names are the columns'. */
export interface NewMessage {
  readonly account_id: string;
  readonly id: string;
  readonly key_id: string;
  /** The key that asked for it, where that is another. */
  readonly asked_by: string | null;
  readonly from_given: string;
  readonly from_domain: string;
  readonly to_line: string;
  readonly reply_to: string | null;
  readonly subject: string;
  readonly channel: string;
  readonly source: string;
  readonly agent_name: string | null;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly charged: number;
  readonly html: string | null;
  readonly text: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly event_id: string;
  /** When the first attempt is due; null for at once. */
  readonly scheduled_at: string | null;
  /** Of the event `scheduled`, which follows `queued`; null where there is none. */
  readonly scheduled_event_id: string | null;
  /** When the retries end. */
  readonly expires_at: string;
  readonly template: string | null;
  readonly resend_of: string | null;
  readonly unsubscribe: boolean;
  readonly tracking: { readonly openPixel: boolean; readonly links: readonly string[] } | null;
  readonly attachments: readonly NewAttachment[];
  readonly recipients: readonly NewRecipient[];
  readonly deliveries: readonly NewDelivery[];
  readonly idempotency_key: string | null;
  /** From when the key counts as kept, where that is not now: an earlier time lets it end earlier. */
  readonly key_since: string | null;
  readonly fingerprint: string | null;
  /** Of a message that waits for a person; it has no deliveries then. */
  readonly hold?: NewHold | undefined;
}

export interface NewRecipient {
  readonly ordinal: number;
  readonly kind: string;
  readonly name: string | null;
  readonly email: string;
}

export interface NewAttachment {
  readonly filename: string;
  readonly contentType: string;
  readonly contentId: string | null;
  readonly content: Uint8Array;
}

export interface NewDelivery {
  readonly id: string;
  readonly route: string;
  /** Empty where the route alone says where it goes. */
  readonly destination: string;
  readonly ordinals: readonly number[];
}

/** What one account's part of a batch stands on: the statement writes it only where all of this still holds. */
export interface AccountCharge {
  readonly account_id: string;
  /** Quota units; 0 where nothing leaves the installation. */
  readonly units: number;
  /** The sending domains that must be verified. */
  readonly domains: readonly string[];
  /** The keys that judged the sends, by the state they were judged in; the statement refuses where one has changed since. */
  readonly senders: readonly SenderFact[];
}

/** A key that judged a send, and by what the caller was let in. Names are short because they travel with every batch. */
export interface SenderFact {
  readonly k: string;
  /** The version of the key. */
  readonly v: number;
  /** The session of a user, which must still be that of this seat. */
  readonly s?: string | undefined;
  /** When the session, or the secret that was shown, ends. Every other end of a secret is another version of its key. */
  readonly e?: Date | undefined;
}

export interface InsertOptions {
  readonly now: Date;
  /** The month the quota is counted in, `YYYY-MM-01`. */
  readonly month: string;
  /** The quota of accounts that have none of their own. */
  readonly monthlyQuota: number;
  /** Idempotency keys made before this are forgotten. */
  readonly idempotencyHorizon: Date;
  /** Of keys that may send so many messages only; none costs nothing. */
  readonly sendCharges: readonly SendCharge[];
  /** Called when everything is written and nothing is committed yet: where it throws, nothing is. Costs a transaction around the statement. */
  readonly beforeCommit?: (() => void) | undefined;
  /** Called within the transaction when messages are held, after they were written. */
  readonly onHeld?: ((transaction: Query, holds: readonly HoldRow[]) => Promise<void>) | undefined;
}

/** The quota of an account after the batch. */
export interface QuotaUsage {
  readonly accountId: string;
  readonly limit: number;
  readonly used: number;
}

/**
 * Writes a batch of accepted messages in one statement, all or nothing: idempotency keys, the quota charge, messages, bodies, recipients,
 * first events and deliveries. The rules that need facts hold in the statement itself: accounts that may send, verified domains, nobody
 * suppressed, free idempotency keys, a quota that suffices. Where one does not, it fails with SQLSTATE PR001, having written nothing.
 */
export async function insertMessages(
  sql: Sql,
  messages: readonly NewMessage[],
  charges: readonly AccountCharge[],
  options: InsertOptions,
): Promise<readonly QuotaUsage[]> {
  const attachments = messages.flatMap(toAttachmentRows);
  const holds = messages.flatMap(toHoldRows);
  if (attachments.length === 0 && holds.length === 0 && options.beforeCommit === undefined) {
    return await writeMessages(sql, messages, charges, options);
  }
  // Files are few and large, and go row by row. They come first: the statement takes the row of the account's quota, and keeps it until the
  // end of the transaction.
  return await sql.begin(async (transaction) => {
    for (const row of attachments) await insertAttachment(transaction, row);
    if (holds.length > 0) await lockHoldingKeys(transaction, holds, options.monthlyQuota);
    const usage = await writeMessages(transaction, messages, charges, options, holds.length > 0);
    if (holds.length > 0) {
      await insertHolds(transaction, holds, options.now);
      await options.onHeld?.(transaction, holds);
    }
    options.beforeCommit?.();
    return usage;
  });
}

function toAttachmentRows({ account_id, id, attachments }: NewMessage): readonly NewAttachmentRow[] {
  return attachments.map((attachment, ordinal) => ({ ...attachment, accountId: account_id, messageId: id, ordinal }));
}

/** A hold belongs to the key that asked for the send. */
function toHoldRows({ account_id, id: message_id, key_id, asked_by, charged, hold }: NewMessage): readonly HoldRow[] {
  return hold === undefined ? [] : [{ account_id, message_id, key_id: asked_by ?? key_id, charged, ...hold }];
}

async function writeMessages(
  query: Query,
  messages: readonly NewMessage[],
  charges: readonly AccountCharge[],
  options: InsertOptions,
  hasHolds = false,
): Promise<readonly QuotaUsage[]> {
  const size = SIZES.find((candidate) => candidate >= messages.length) ?? messages.length;
  const bodies = Array.from({ length: size }, (_, ordinal) => [
    messages[ordinal]?.html ?? null,
    messages[ordinal]?.text ?? null,
  ]);
  return await query.unsafe<QuotaUsage[]>(
    statementFor(size, options.sendCharges.length > 0, hasHolds),
    [
      JSON.stringify(messages.map(toLogRow)),
      JSON.stringify(messages.flatMap(toRecipientRows)),
      JSON.stringify(messages.flatMap(toDeliveryRows)),
      JSON.stringify(charges),
      options.now,
      options.month,
      options.monthlyQuota,
      options.idempotencyHorizon,
      ...bodies.flat(),
      ...(options.sendCharges.length > 0 ? [JSON.stringify(options.sendCharges)] : []),
    ],
    { prepare: true },
  );
}

/**
 * Statements are prepared for these numbers of messages, and smaller batches fill up with empty bodies. Bodies travel as parameters of their
 * own: decoding them out of JSON cost half of the statement's time (52 of 110 µs a message of 3 KB).
 */
const SIZES = [1, 8, 32, 100];
const FIRST_BODY_PARAMETER = 9;
const statements = new Map<string, string>();

function statementFor(size: number, isLimited: boolean, hasHolds: boolean): string {
  const name = `${size} ${isLimited} ${hasHolds}`;
  const known = statements.get(name);
  if (known !== undefined) return known;
  const values = Array.from({ length: size }, (_, ordinal) => {
    const html = FIRST_BODY_PARAMETER + ordinal * 2;
    return `(${ordinal}, $${html}::text, $${html + 1}::text)`;
  });
  const limits = isLimited ? sendLimits(FIRST_BODY_PARAMETER + size * 2) : { parts: '', refusal: '' };
  const parts = HOLD_PARTS.map(({ place, part, otherwise }) => [place, hasHolds ? part : otherwise] as const);
  const statement = parts
    .reduce((text, [place, part]) => text.replaceAll(place, () => part), STATEMENT)
    .replace('/* bodies */', values.join(', '))
    .replace('/* send limits */', limits.parts)
    .replace('/* or beyond them */', limits.refusal);
  statements.set(name, statement);
  return statement;
}

/** What is null or empty stays away: the columns' names are most of what travels. */
function toLogRow(message: NewMessage, ordinal: number) {
  const {
    html: _html,
    text: _text,
    recipients: _recipients,
    deliveries: _deliveries,
    attachments: _attachments,
    tracking,
    hold,
    ...row
  } = message;
  return {
    ...row,
    o: ordinal,
    scheduled_at: row.scheduled_at ?? undefined,
    scheduled_event_id: row.scheduled_event_id ?? undefined,
    template: row.template ?? undefined,
    asked_by: row.asked_by ?? undefined,
    resend_of: row.resend_of ?? undefined,
    unsubscribe: row.unsubscribe || undefined,
    open_pixel: tracking?.openPixel,
    links: tracking?.links,
    reply_to: row.reply_to ?? undefined,
    agent_name: row.agent_name ?? undefined,
    tags: row.tags.length === 0 ? undefined : row.tags,
    metadata: isEmpty(row.metadata) ? undefined : row.metadata,
    headers: isEmpty(row.headers) ? undefined : row.headers,
    idempotency_key: row.idempotency_key ?? undefined,
    key_since: row.key_since ?? undefined,
    fingerprint: row.fingerprint ?? undefined,
    hold_reasons: hold?.reasons.join(', '),
  };
}

function isEmpty(record: Readonly<Record<string, string>>): boolean {
  for (const _key in record) return false;
  return true;
}

/** `o` is the message's place in the batch: what all rows of a message share travels once. `f` is the folded address where it differs. */
function toRecipientRows({ recipients }: NewMessage, o: number) {
  return recipients.map(({ ordinal, kind, name, email }) => {
    const folded = foldAddress(email);
    return { o, n: ordinal, k: kind, name: name ?? undefined, e: email, f: folded === email ? undefined : folded };
  });
}

function toDeliveryRows({ deliveries }: NewMessage, o: number) {
  return deliveries.map(({ id, route, destination, ordinals }) => {
    return { o, id, r: route, t: destination === '' ? undefined : destination, n: ordinals };
  });
}

import type { Query, Sql } from '../client.ts';
import { sql } from '../drizzle.ts';
import type { RecordOf, SparseRecordOf } from '../record-columns.ts';
import { defineStatement, several } from '../statement.ts';
import { chargeQuota, type QuotaCharge, type QuotaUsage } from './charge-quota.ts';
import { type HoldRow, insertHolds, lockHoldingKeys } from './insert-holds.ts';
import {
  acceptBatch,
  BATCH,
  type CHARGE,
  type Charging,
  HELD,
  QUEUED,
  type SENDER,
} from './insert-messages-statement.ts';
import type { SendCharge } from './insert-sends.ts';
import { insertAttachment, type NewAttachmentRow } from './message-attachments.ts';
import { type NewMessage, toLists } from './message-lists.ts';

export type SenderFact = Omit<SparseRecordOf<typeof SENDER>, 'a'>;

/** The assumptions behind one account's part of a batch. The statement checks them again and writes nothing unless all are still true. */
export interface AccountCharge extends Omit<RecordOf<typeof CHARGE>, 'judges'> {
  readonly senders: readonly SenderFact[];
}

/** Maximum number of messages per statement; larger batches would only delay the messages at the front. */
export const MOST_MESSAGES = 100;

export interface InsertOptions {
  readonly now: Date;
  /** The quota month, `YYYY-MM-01`. */
  readonly month: string;
  /** The monthly quota of accounts without their own. */
  readonly monthlyQuota: number;
  /** Idempotency keys created before this time have expired. */
  readonly idempotencyHorizon: Date;
  /** The sends of keys with send limits. An empty list costs nothing. */
  readonly sendCharges: readonly SendCharge[];
  /** Called after all writes and before the commit; if it throws, nothing is written. Wraps the statement in a transaction. */
  readonly beforeCommit?: (() => void) | undefined;
  /** Called within the transaction after held messages are written. */
  readonly onHeld?: ((transaction: Query, holds: readonly HoldRow[]) => Promise<void>) | undefined;
}

/**
 * Writes a batch of accepted messages in one transaction, nearly always in one statement, all or nothing. The statement also checks the
 * rules that depend on data: accounts, verified domains, suppressions, idempotency keys, quota. If a rule fails, nothing is written, and it
 * fails with SQLSTATE PR001; `failedItemsOf` returns the items.
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
    return mayChargeLast(messages, options)
      ? await writeAndCharge(sql, messages, charges, options)
      : await writeMessages(sql, messages, charges, options);
  }
  // Attachments are few and large, so they are inserted row by row. They come first, because the statement locks the account's quota row
  // until the end of the transaction.
  return await sql.begin(async (transaction) => {
    for (const row of attachments) await insertAttachment(transaction, row);
    if (holds.length > 0) await lockHoldingKeys(transaction, holds, options.monthlyQuota);
    const usage = await writeMessages(transaction, messages, charges, options, holds.length > 0 ? holding : queueing);
    if (holds.length > 0) {
      await insertHolds(transaction, holds, options.now);
      await options.onHeld?.(transaction, holds);
    }
    options.beforeCommit?.();
    return usage;
  });
}

/** From this size on, a batch takes so long to write that others of its account should not wait meanwhile. */
const CHARGED_LAST_FROM = 64;

/**
 * All other statements lock the quota before the counters of send limits and before idempotency keys. A batch that writes one of those does so
 * too, because two batches that lock the same rows in different orders would wait for each other.
 */
function mayChargeLast(messages: readonly NewMessage[], { sendCharges }: InsertOptions): boolean {
  if (messages.length < CHARGED_LAST_FROM || sendCharges.length > 0) return false;
  return messages.every(({ row }) => row.idempotency_key === undefined);
}

/** Writes a large batch and charges the quota last, so that several batches of an account can be written at the same time. */
async function writeAndCharge(
  sql: Sql,
  messages: readonly NewMessage[],
  charges: readonly AccountCharge[],
  options: InsertOptions,
): Promise<readonly QuotaUsage[]> {
  const { month, monthlyQuota } = options;
  const places = Map.groupBy(messages.keys(), (o) => messages[o]?.row.account_id);
  const charging = charges.map(({ account_id, units }): QuotaCharge => {
    const items = places.get(account_id) ?? [];
    return { account_id, units, items, message_id: messages[items[0] ?? 0]?.row.id ?? '' };
  });
  return await sql.together(async (query) => {
    const written = writeMessages(query, messages, charges, options, chargedLast);
    const charged = chargeQuota(query, { charges: JSON.stringify(charging), month, monthlyQuota });
    // If the messages cannot be written, this fails too, but does not say why.
    charged.catch(() => undefined);
    await written;
    return await charged;
  });
}

function toAttachmentRows({ row, attachments }: NewMessage): readonly NewAttachmentRow[] {
  const { account_id: accountId, id: messageId } = row;
  return attachments.map((attachment, ordinal) => ({ ...attachment, accountId, messageId, ordinal }));
}

/** A hold belongs to the key that asked for the send. */
function toHoldRows({ row, hold }: NewMessage, o: number): readonly HoldRow[] {
  const { account_id, id: message_id, key_id, asked_by, charged } = row;
  return hold === null ? [] : [{ o, account_id, message_id, key_id: asked_by ?? key_id, charged, ...hold }];
}

/**
 * Statements are prepared for these batch sizes; smaller batches are padded with empty bodies. Bodies are separate parameters, because
 * decoding them from JSON took half of the statement's time (52 of 110 µs per message of 3 KB).
 */
const SIZES = [1, 8, 32, MOST_MESSAGES];

const queueing = SIZES.map((size) => defineSize(size, QUEUED));
const holding = SIZES.map((size) => defineSize(size, HELD));
const chargedLast = [defineSize(MOST_MESSAGES, QUEUED, 'afterwards')];

function defineSize(size: number, beginning: typeof QUEUED, charging: Charging = 'first') {
  const parameters = {
    ...BATCH,
    html: several<string | null>(size),
    text: several<string | null>(size),
  };
  const run = defineStatement(parameters, (given) => {
    const rows = given.html.map((html, o) => sql`(${sql.raw(String(o))}, ${html}::text, ${given.text[o]}::text)`);
    return acceptBatch(given, sql.join(rows, sql`, `), beginning, charging);
  });
  return { size, run };
}

async function writeMessages(
  query: Query,
  messages: readonly NewMessage[],
  charges: readonly AccountCharge[],
  options: InsertOptions,
  sizes = queueing,
): Promise<readonly QuotaUsage[]> {
  const statement = sizes.find(({ size }) => size >= messages.length);
  if (statement === undefined) throw new Error(`a batch has at most ${MOST_MESSAGES} messages`);
  const { sendCharges, now, month, monthlyQuota, idempotencyHorizon } = options;
  const places = Array.from({ length: statement.size }, (_, o) => messages[o] ?? NO_BODY);
  return await statement.run(query, {
    ...toLists(messages, sizes === holding),
    charges: JSON.stringify(charges.map(({ senders, ...charge }) => ({ ...charge, judges: senders.length }))),
    senders: JSON.stringify(charges.flatMap(({ account_id: a, senders }) => senders.map((fact) => ({ a, ...fact })))),
    now: now.toISOString(),
    ...{ month, monthlyQuota, idempotencyHorizon },
    sendCharges: sendCharges.length > 0 ? JSON.stringify(sendCharges) : null,
    html: places.map(({ html }) => html),
    text: places.map(({ text }) => text),
  });
}

const NO_BODY = { html: null, text: null };

import { formatArray } from '../array-types.ts';
import type { Query } from '../client.ts';
import { type SQL, sql } from '../drizzle.ts';
import { arraysOf, columnNames, type RecordOf, toArrays, unnested } from '../record-columns.ts';
import { executing, narrowed, nullable, pg, type ResultRow, returning } from '../result.ts';
import type { approvals } from '../schema/approvals.ts';
import { deliveries } from '../schema/deliveries.ts';
import { messageBodies, type messageRecipients, messages, type messageTracking } from '../schema/messages.ts';
import type { approvalReceipts } from '../schema/receipts.ts';
import { suppressions } from '../schema/suppressions.ts';
import { defineStatement, type RowOf } from '../statement.ts';
import type { ClaimedDelivery } from './claim-deliveries.ts';
import { POSTMASTER_KEY_ID } from './postmaster-account.ts';

const MESSAGE = {
  accountId: messages.accountId,
  messageId: messages.id,
  /** Whether it is the installation's own mail, whose body is encrypted. */
  isSealed: pg.bool,
  createdAt: messages.createdAt,
  fromGiven: messages.fromGiven,
  fromDomain: messages.fromDomain,
  replyTo: messages.replyTo,
  subject: messages.subject,
  unsubscribe: messages.unsubscribe,
  html: messageBodies.html,
  text: messageBodies.text,
  /** Null if the body is no longer stored. */
  headers: nullable(messageBodies.headers),
  hasBody: pg.bool,
};

/** A part of the message `m`. */
type Of<Part> = Part & { readonly m: typeof messages.$inferSelect.id };

/** A recipient, with short names. `s` is why the address is currently suppressed; null if it is not. */
interface ContentRecipient {
  readonly o: typeof messageRecipients.$inferSelect.ordinal;
  readonly k: typeof messageRecipients.$inferSelect.kind;
  readonly n: typeof messageRecipients.$inferSelect.name;
  readonly e: typeof messageRecipients.$inferSelect.email;
  readonly s: typeof suppressions.$inferSelect.reason | null;
}

type ContentTracking = Pick<typeof messageTracking.$inferSelect, 'openPixel' | 'links'>;

interface ContentHold {
  readonly id: typeof approvals.$inferSelect.id;
  readonly receipt: typeof approvalReceipts.$inferSelect.receipt | null;
}

export interface DeliveryContent extends ResultRow<typeof MESSAGE> {
  readonly recipients: readonly ContentRecipient[];
  /** Total size of all files; 0 without files. The files themselves are read when the message is composed. */
  readonly attachmentBytes: number;
  /** Null if the message has neither an open pixel nor rewritten links. */
  readonly tracking: ContentTracking | null;
  /** Null if the message was never held. Its receipt is null until it is decided. */
  readonly hold: ContentHold | null;
}

/** What belongs to the messages of one account. Only its first row has them: reading them message by message takes twice as long. */
const PARTS = {
  recipients: nullable(narrowed<readonly Of<ContentRecipient>[]>(pg.json)),
  files: nullable(narrowed<readonly Of<Pick<DeliveryContent, 'attachmentBytes'>>[]>(pg.json)),
  tracking: nullable(narrowed<readonly Of<ContentTracking>[]>(pg.json)),
  holds: nullable(narrowed<readonly Of<ContentHold>[]>(pg.json)),
};

/** The messages of one account, as an array literal, with the first and the last of them. */
const WANTED = { account: messages.accountId, ids: pg.text, first: messages.id, last: messages.id };

/** The bounds exclude the partitions of other months, which the list alone does not. */
const isWanted = (id: SQL) =>
  sql`account_id = w.account AND ${id} = ANY (w.ids) AND ${id} >= w.first AND ${id} <= w.last`;

/** A part of all messages of the account, from its rows `p` in a table. OFFSET 0 keeps them one scan of the index. */
const partOf = (table: SQL, value: SQL, others = sql``) => sql`
      CASE WHEN m.place = 1 THEN (SELECT json_agg(json_build_object('m', p.message_id, ${value}))
        FROM (SELECT * FROM ${table} WHERE ${isWanted(sql`message_id`)} OFFSET 0) AS p ${others}) END`;

const readContents = defineStatement(
  { ...arraysOf(WANTED), sealedKeyId: messages.keyId, now: suppressions.createdAt },
  (given) =>
    returning(
      { ...MESSAGE, ...PARTS },
      sql`
    WITH wanted AS MATERIALIZED (
      SELECT account, ids::uuid[] AS ids, first, last FROM ${unnested(WANTED, given)} AS g (${columnNames(WANTED)})
    )
    SELECT m.account_id AS "accountId", m.id AS "messageId", m.key_id = ${given.sealedKeyId} AS "isSealed", m.created_at AS "createdAt",
      m.from_given AS "fromGiven", m.from_domain AS "fromDomain", m.reply_to AS "replyTo", m.subject, m.unsubscribe,
      b.html, b.text, b.headers, b.message_id IS NOT NULL AS "hasBody",
      ${partOf(
        sql`message_recipients`,
        sql`'o', p.ordinal, 'k', p.kind, 'n', p.name, 'e', p.email, 's', (
          SELECT s.reason FROM suppressions s WHERE s.account_id = p.account_id AND s.email = lower(p.email COLLATE "C") COLLATE "default"
            AND is_suppressing(s.expires_at, ${given.now}))`,
      )} AS recipients,
      ${partOf(sql`message_attachments`, sql`'attachmentBytes', p.size`)} AS files,
      ${partOf(sql`message_tracking`, sql`'openPixel', p.open_pixel, 'links', p.links`)} AS tracking,
      ${partOf(
        sql`approvals`,
        sql`'id', p.id, 'receipt', r.receipt`,
        sql`LEFT JOIN approval_receipts r ON r.account_id = p.account_id AND r.approval_id = p.id`,
      )} AS holds
    FROM wanted w
    CROSS JOIN LATERAL (
      SELECT *, row_number() OVER () AS place FROM messages WHERE ${isWanted(sql`id`)}) AS m
    LEFT JOIN message_bodies b ON b.account_id = m.account_id AND b.message_id = m.id`,
    ),
);

const STARTED = { accountId: deliveries.accountId, id: deliveries.id, messageId: deliveries.messageId };

const drop = defineStatement(arraysOf(STARTED), (given) =>
  executing(sql`
    DELETE FROM deliveries d USING ${unnested(STARTED, given)} AS g (${columnNames(STARTED)})
    WHERE d.account_id = g."accountId" AND d.id = g.id
      AND NOT EXISTS (SELECT FROM messages m WHERE m.account_id = g."accountId" AND m.id = g."messageId")`),
);

/**
 * Returns what is needed to compose the claimed messages, in one round trip for the whole batch. A delivery whose message is gone from the
 * log is deleted, and its message is not in the result, since it could never be settled. The suppression list is read in the same
 * statement, so that no message is composed without it.
 */
export async function loadContents(
  query: Query,
  claimed: readonly ClaimedDelivery[],
  now: Date,
): Promise<readonly DeliveryContent[]> {
  const byAccount = Map.groupBy(claimed, ({ accountId }) => accountId);
  const wanted = [...byAccount].map(([account, claims]) => {
    const ids = [...new Set(claims.map(({ messageId }) => messageId))].sort();
    return { account, ids: formatArray(ids), first: ids[0] ?? account, last: ids.at(-1) ?? account };
  });
  const given = { ...toArrays(WANTED, wanted), sealedKeyId: POSTMASTER_KEY_ID, now };
  const contents = assemble(await readContents(query, given));
  if (contents.length < new Set(claimed.map(({ messageId }) => messageId)).size) {
    const started = claimed.map(({ accountId, id, messageId }): RecordOf<typeof STARTED> => {
      return { accountId, id, messageId };
    });
    await drop(query, toArrays(STARTED, started));
  }
  return contents;
}

type Assembled = { -readonly [Name in keyof DeliveryContent]: DeliveryContent[Name] } & {
  readonly recipients: ContentRecipient[];
};

/** Gives each message its own parts. Ids of messages are unique across accounts. */
function assemble(rows: readonly RowOf<typeof readContents>[]): readonly DeliveryContent[] {
  const contents = new Map<string, Assembled>();
  for (const { recipients, files, tracking, holds, ...message } of rows)
    contents.set(message.messageId, { ...message, recipients: [], attachmentBytes: 0, tracking: null, hold: null });
  for (const { recipients, files, tracking, holds } of rows) {
    for (const { m, ...recipient } of recipients ?? []) contents.get(m)?.recipients.push(recipient);
    for (const { m, attachmentBytes } of files ?? []) {
      const content = contents.get(m);
      if (content !== undefined) content.attachmentBytes += attachmentBytes;
    }
    for (const { m, ...links } of tracking ?? []) Object.assign(contents.get(m) ?? {}, { tracking: links });
    for (const { m, ...hold } of holds ?? []) Object.assign(contents.get(m) ?? {}, { hold });
  }
  for (const { recipients } of contents.values())
    if (recipients.length > 1) recipients.sort((one, other) => one.o - other.o);
  return [...contents.values()];
}

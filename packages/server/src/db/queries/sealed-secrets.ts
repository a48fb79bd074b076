import type { Query, Sql } from '../client.ts';
import { type Column, type SQL, sql } from '../drizzle.ts';
import { executing, pg, present, returning } from '../result.ts';
import { capturedMessages } from '../schema/deliveries.ts';
import { dkimKeys } from '../schema/domains.ts';
import { messageBodies } from '../schema/messages.ts';
import { receiptKeys } from '../schema/receipts.ts';
import { webhookEndpoints } from '../schema/webhooks.ts';
import { defineStatement, optional, type RowOf, value } from '../statement.ts';
import { POSTMASTER_ACCOUNT_ID, POSTMASTER_KEY_ID, SEALED_BODY_MARK } from './postmaster-account.ts';

interface SealedPlace<Kind extends string> {
  readonly kind: Kind;
  /** `OF_INSTALLATION` for a table of the installation. */
  readonly accountId: Column | SQL;
  /** The column that identifies a row together with its account. */
  readonly id: Column;
  readonly column: Column;
  /** The column stores base64 envelopes after a prefix. */
  readonly isText?: true;
  /** The column has envelopes in rows of the installation's own mail. */
  readonly mailOnly?: true;
}

/** Rows of no account are named by the account of the installation. */
const OF_INSTALLATION = sql`${sql.raw(`'${POSTMASTER_ACCOUNT_ID}'`)}::uuid`;

/** Every column that has envelopes of the secret box. */
export const SEALED_COLUMNS = [
  defineColumn({ kind: 'dkimKeys', accountId: dkimKeys.accountId, id: dkimKeys.id, column: dkimKeys.privateKey }),
  defineColumn(inEndpoints(webhookEndpoints.secret)),
  defineColumn(inEndpoints(webhookEndpoints.previousSecret)),
  defineColumn({
    ...{ kind: 'installationMail', accountId: messageBodies.accountId, id: messageBodies.messageId },
    ...{ column: messageBodies.text, isText: true, mailOnly: true },
  }),
  defineColumn({
    ...{ kind: 'installationMail', accountId: capturedMessages.accountId, id: capturedMessages.id },
    ...{ column: capturedMessages.raw, mailOnly: true },
  }),
  defineColumn({ kind: 'receiptKeys', accountId: OF_INSTALLATION, id: receiptKeys.id, column: receiptKeys.sealed }),
];

export type SealedColumn = (typeof SEALED_COLUMNS)[number];
export type SealedKind = SealedColumn['kind'];
export type SealedRow = RowOf<SealedColumn['read']>;

function inEndpoints(column: Column): SealedPlace<'webhookSecrets'> {
  return { kind: 'webhookSecrets', accountId: webhookEndpoints.accountId, id: webhookEndpoints.id, column };
}

function defineColumn<const Kind extends string>(place: SealedPlace<Kind>) {
  const { kind, accountId, id, column } = place;
  const fields = { accountId: pg.uuid, id: pg.uuid, envelope: present(pg.bytea) };
  const read = defineStatement(
    { afterAccount: optional(value<string>()), afterId: optional(value<string>()), limit: value<number>() },
    ({ afterAccount, afterId, limit }) =>
      returning(
        fields,
        sql`
          SELECT ${accountId} AS "accountId", ${id} AS id, ${envelopeIn(place)} AS envelope FROM ${column.table}
          WHERE ${isSealed(place)} ${afterAccount && afterId && sql`AND (${accountId}, ${id}) > (${afterAccount}, ${afterId})`}
          ORDER BY ${accountId}, ${id} LIMIT ${limit}`,
      ),
  );
  const replace = defineStatement(
    {
      ...{ accountId: value<string>(), id: value<string>(), envelope: value<Buffer>() },
      ...{ stored: value<Buffer | string>() },
    },
    (given) =>
      executing(sql`
        UPDATE ${column.table} SET ${sql.identifier(column.name)} = ${given.stored}
        WHERE ${accountId} = ${given.accountId} AND ${id} = ${given.id} AND ${isSealed(place)}
          AND ${envelopeIn(place)} = ${given.envelope}`),
  );
  return { kind, isText: place.isText === true, read, replace };
}

/** The next rows of a column in the order of the primary key; `after` is the last row before them. */
export async function readSealedRows(
  query: Query,
  { read }: SealedColumn,
  after: Pick<SealedRow, 'accountId' | 'id'> | null,
  limit: number,
): Promise<readonly SealedRow[]> {
  return await read(query, { afterAccount: after?.accountId ?? null, afterId: after?.id ?? null, limit });
}

/**
 * False if the row has another envelope by now, which is left unchanged. An endpoint's revision stays the same, because its secret does.
 */
export async function replaceEnvelope(
  query: Query,
  { isText, replace }: SealedColumn,
  row: SealedRow,
  replacement: Buffer,
): Promise<boolean> {
  const stored = isText ? `${SEALED_BODY_MARK}${replacement.toString('base64')}` : replacement;
  return (await replace(query, { ...row, stored })) > 0;
}

function isSealed({ accountId, id, column, isText, mailOnly }: SealedPlace<string>): SQL {
  if (!mailOnly) return sql`${column} IS NOT NULL`;
  const ofMail = sql`${accountId} = ${POSTMASTER_ACCOUNT_ID}`;
  if (!isText) return ofMail;
  // Earlier releases sent such mail under customers' accounts. The mail that still waits there is sealed; nothing else there is opened.
  return sql`(${ofMail} OR (${accountId}, ${id}) IN (SELECT d.account_id, d.message_id FROM deliveries d
      JOIN messages m ON m.account_id = d.account_id AND m.id = d.message_id WHERE m.key_id = ${POSTMASTER_KEY_ID}))
    AND starts_with(${column}, ${SEALED_BODY_MARK})`;
}

/** The expression guards itself as well, because PostgreSQL does not guarantee the order in which conditions are evaluated. */
function envelopeIn({ column, isText }: SealedPlace<string>): SQL {
  if (!isText) return sql`${column}`;
  return sql`CASE WHEN starts_with(${column}, ${SEALED_BODY_MARK})
    THEN decode(substr(${column}, ${SEALED_BODY_MARK.length + 1}::int), 'base64') END`;
}

const lock = defineStatement({}, () =>
  executing(sql`SELECT FROM pg_advisory_xact_lock(hashtext('postrider.secrets'))`),
);

/** Waits for other rotations to end and blocks new ones. The work runs on other connections and is committed as it proceeds. */
export async function holdRotationLock<T>(pool: Sql, work: () => Promise<T>): Promise<T> {
  const held = await pool.begin(async (transaction) => {
    await lock(transaction, {});
    return { result: await work() };
  });
  return held.result as T; // The driver's result type of a transaction unwraps arrays of promises; this is not one.
}

import type { Query, Sql } from '../client.ts';
import { POSTMASTER_ACCOUNT_ID, POSTMASTER_KEY_ID, SEALED_BODY_MARK } from './postmaster-account.ts';

/** Every column that holds envelopes of the secret box. `mailOnly` columns hold them in rows of the installation's own mail; `text` ones in base64 behind a mark. */
export const SEALED_COLUMNS = [
  { kind: 'dkimKeys', table: 'dkim_keys', id: 'id', column: 'private_key' },
  { kind: 'webhookSecrets', table: 'webhook_endpoints', id: 'id', column: 'secret' },
  { kind: 'webhookSecrets', table: 'webhook_endpoints', id: 'id', column: 'previous_secret' },
  { kind: 'installationMail', table: 'message_bodies', id: 'message_id', column: 'text', isText: true, mailOnly: true },
  { kind: 'installationMail', table: 'captured_messages', id: 'id', column: 'raw', mailOnly: true },
] as const satisfies readonly SealedPlace[];

interface SealedPlace {
  readonly kind: string;
  readonly table: string;
  /** The column that names a row beside its account. */
  readonly id: string;
  readonly column: string;
  readonly isText?: boolean;
  readonly mailOnly?: boolean;
}

export type SealedColumn = (typeof SEALED_COLUMNS)[number];
export type SealedKind = SealedColumn['kind'];

export interface SealedRow {
  readonly accountId: string;
  readonly id: string;
  readonly envelope: Uint8Array;
}

/** The next rows of a column in the order of the primary key; `after` is the last one before them. */
export async function readSealedRows(
  query: Query,
  place: SealedColumn,
  after: Pick<SealedRow, 'accountId' | 'id'> | null,
  limit: number,
): Promise<readonly SealedRow[]> {
  const { table, id } = place;
  const from = after === null ? query`` : query`AND (account_id, ${query(id)}) > (${after.accountId}, ${after.id})`;
  return await query<SealedRow[]>`
    SELECT account_id AS "accountId", ${query(id)} AS id, ${envelopeIn(query, place)} AS envelope FROM ${query(table)}
    WHERE ${isSealed(query, place)} ${from} ORDER BY account_id, ${query(id)} LIMIT ${limit}`;
}

/** False where the row has another envelope by now, which is left alone. What an endpoint is known by in memory stays: its secret is the same. */
export async function replaceEnvelope(
  query: Query,
  place: SealedColumn,
  { accountId, id, envelope }: SealedRow,
  replacement: Buffer,
): Promise<boolean> {
  const stored = isText(place) ? `${SEALED_BODY_MARK}${replacement.toString('base64')}` : replacement;
  const { count } = await query`
    UPDATE ${query(place.table)} SET ${query(place.column)} = ${stored}
    WHERE account_id = ${accountId} AND ${query(place.id)} = ${id} AND ${isSealed(query, place)}
      AND ${envelopeIn(query, place)} = ${envelope}`;
  return count > 0;
}

function isText(place: SealedPlace): boolean {
  return place.isText === true;
}

function isSealed(query: Query, place: SealedPlace) {
  const { column } = place;
  if (place.mailOnly !== true) return query`${query(column)} IS NOT NULL`;
  const ofMail = query`account_id = ${POSTMASTER_ACCOUNT_ID}`;
  if (!isText(place)) return ofMail;
  // Earlier releases sent such mail under accounts of customers. What still waits there is sealed; nothing else there is opened.
  return query`(${ofMail} OR (account_id, message_id) IN (SELECT d.account_id, d.message_id FROM deliveries d
      JOIN messages m ON m.account_id = d.account_id AND m.id = d.message_id WHERE m.key_id = ${POSTMASTER_KEY_ID}))
    AND starts_with(${query(column)}, ${SEALED_BODY_MARK})`;
}

/** Guarded by itself as well: nothing says in which order PostgreSQL looks at conditions. */
function envelopeIn(query: Query, place: SealedPlace) {
  const { column } = place;
  if (!isText(place)) return query`${query(column)}`;
  return query`CASE WHEN starts_with(${query(column)}, ${SEALED_BODY_MARK})
    THEN decode(substr(${query(column)}, ${SEALED_BODY_MARK.length + 1}::int), 'base64') END`;
}

/** Waits for its turn, and keeps every other rotation out meanwhile: the work is done on other connections, and is kept as it goes. */
export async function holdRotationLock<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
  const held = await sql.begin(async (transaction) => {
    await transaction`SELECT pg_advisory_xact_lock(hashtext('postrider.secrets'))`;
    return { result: await work() };
  });
  return held.result as T; // The driver's type of what a transaction answers unwraps arrays of promises; this is none.
}

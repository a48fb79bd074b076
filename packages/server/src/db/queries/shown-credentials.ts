import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import { recordColumns } from '../record-columns.ts';
import { pg, returning } from '../result.ts';
import { apiKeys } from '../schema/keys.ts';
import { sessions } from '../schema/sessions.ts';
import { defineStatement, value } from '../statement.ts';

/** The credential that a request presented. It must not have ended when a send is stored. */
export type ShownCredential =
  | { readonly kind: 'secret' | 'token' /** SHA-256, base64. */; readonly hash: string; readonly endsAt: Date | null }
  | { readonly kind: 'session'; readonly id: string; readonly endsAt: Date | null };

/** The credential that a caller presented for a key, or for the key of its seat. */
export interface AskedCredential {
  readonly accountId: string;
  readonly keyId: string;
  readonly shown: ShownCredential;
  readonly name: string;
}

/** `n` is the name, `e` when the credential ends, and `h` the hash of a secret or access token. */
const ASKED = {
  a: apiKeys.accountId,
  k: apiKeys.id,
  s: sessions.id,
  n: pg.text,
  e: apiKeys.expiresAt,
  h: pg.text,
};

const find = defineStatement({ asks: value<string>(), now: value<Date>() }, ({ asks, now }) =>
  returning(
    { name: pg.text },
    sql`
      SELECT q.n AS name FROM json_to_recordset(${asks}::text::json) AS q (${sql.raw(recordColumns(ASKED))})
      WHERE ((q.e > ${now} OR q.e IS NULL) AND EXISTS (
          SELECT FROM sessions x WHERE x.id = q.s AND x.account_id = q.a AND x.member_id = q.k))
        OR EXISTS (SELECT FROM api_keys k WHERE k.account_id = q.a AND k.id = q.k AND k.secret_hash = decode(q.h, 'base64'))
        OR EXISTS (SELECT FROM retired_key_secrets r
          WHERE r.account_id = q.a AND r.key_id = q.k AND r.secret_hash = decode(q.h, 'base64') AND r.ends_at > ${now})
        OR EXISTS (SELECT FROM access_tokens t
          WHERE t.account_id = q.a AND t.key_id = q.k AND t.token_hash = decode(q.h, 'base64') AND t.ends_at > ${now})`,
  ),
);

/**
 * The names of those that have not ended: sessions still in their seat, secrets that were not replaced or are still in their grace
 * period, and access tokens that have not expired.
 */
export async function findLasting(
  query: Query,
  credentials: readonly AskedCredential[],
  now: Date,
): Promise<readonly string[]> {
  const asks = credentials.map(({ accountId: a, keyId: k, shown, name: n }) => {
    return { a, k, n, ...(shown.kind === 'session' ? { s: shown.id, e: shown.endsAt } : { h: shown.hash }) };
  });
  const found = await find(query, { asks: JSON.stringify(asks), now });
  return found.map(({ name }) => name);
}

import type { Query } from '../client.ts';

/** What a request showed to be let in: it must not have ended when a send is stored. */
export type ShownCredential =
  | { readonly kind: 'secret' /** SHA-256, base64. */; readonly hash: string; readonly endsAt: Date | null }
  | { readonly kind: 'session'; readonly id: string; readonly endsAt: Date | null };

/** What a caller showed for a key, or for the key of its seat. */
export interface AskedCredential {
  readonly accountId: string;
  readonly keyId: string;
  readonly shown: ShownCredential;
  readonly name: string;
}

/** The names of those that have not ended: sessions that are still of the seat, and secrets that were not replaced or have a grace left. */
export async function findLasting(
  query: Query,
  asked: readonly AskedCredential[],
  now: Date,
): Promise<readonly string[]> {
  const rows = asked.map(({ accountId: a, keyId: k, shown, name: n }) => {
    return { a, k, n, ...(shown.kind === 'session' ? { s: shown.id, e: shown.endsAt } : { h: shown.hash }) };
  });
  const found = await query<{ name: string }[]>`
    SELECT q.n AS name
    FROM json_to_recordset(${JSON.stringify(rows)}::text::json) AS q (a uuid, k uuid, n text, s uuid, e timestamptz, h text)
    WHERE ((q.e > ${now} OR q.e IS NULL) AND EXISTS (
        SELECT FROM sessions x WHERE x.id = q.s AND x.account_id = q.a AND x.member_id = q.k))
      OR EXISTS (SELECT FROM api_keys k WHERE k.account_id = q.a AND k.id = q.k AND k.secret_hash = decode(q.h, 'base64'))
      OR EXISTS (SELECT FROM retired_key_secrets r
        WHERE r.account_id = q.a AND r.key_id = q.k AND r.secret_hash = decode(q.h, 'base64') AND r.ends_at > ${now})`;
  return found.map(({ name }) => name);
}

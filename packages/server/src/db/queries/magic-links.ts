import type { Query } from '../client.ts';

export interface NewMagicLink {
  readonly hash: Uint8Array;
  /** Of the cookie of the browser that asked. */
  readonly browserHash: Uint8Array;
  readonly email: string;
  readonly next: string | null;
  readonly now: Date;
  readonly expiresAt: Date;
}

export async function insertMagicLink(query: Query, link: NewMagicLink): Promise<void> {
  await query`
    INSERT INTO magic_links (token_hash, browser_hash, email, next, created_at, expires_at)
    VALUES (${link.hash}, ${link.browserHash}, ${link.email}, ${link.next}, ${link.now}, ${link.expiresAt})`;
}

/** Spends a link in the browser that asked for it: of many who try one is answered. Null where it does not work there, or not any more. */
export async function spendMagicLink(
  query: Query,
  { hash, browserHash, now }: { readonly hash: Uint8Array; readonly browserHash: Uint8Array; readonly now: Date },
): Promise<{ readonly email: string; readonly next: string | null } | null> {
  const [row] = await query<{ email: string; next: string | null }[]>`
    DELETE FROM magic_links WHERE token_hash = ${hash} AND browser_hash = ${browserHash} AND expires_at > ${now}
    RETURNING email, next`;
  return row ?? null;
}

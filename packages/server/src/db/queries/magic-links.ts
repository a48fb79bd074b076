import { builder, named } from '../builder.ts';
import type { Query } from '../client.ts';
import { and, eq, gt } from '../drizzle.ts';
import { magicLinks } from '../schema/sessions.ts';
import { defineStatement, type RowOf } from '../statement.ts';

export const insertMagicLink = defineStatement(
  {
    hash: magicLinks.tokenHash,
    /** Of the cookie of the browser that asked. */
    browserHash: magicLinks.browserHash,
    email: magicLinks.email,
    next: magicLinks.next,
    now: magicLinks.createdAt,
    expiresAt: magicLinks.expiresAt,
  },
  ({ hash, now, ...link }) => builder.insert(magicLinks).values({ ...link, tokenHash: hash, createdAt: now }),
);

const spend = defineStatement(
  { hash: magicLinks.tokenHash, browserHash: magicLinks.browserHash, now: magicLinks.expiresAt },
  ({ hash, browserHash, now }) =>
    builder
      .delete(magicLinks)
      .where(
        and(eq(magicLinks.tokenHash, hash), eq(magicLinks.browserHash, browserHash), gt(magicLinks.expiresAt, now)),
      )
      .returning(named({ email: magicLinks.email, next: magicLinks.next })),
);

/** Spends a link in the browser that asked for it, once. Null where it does not work there, or not any more. */
export async function spendMagicLink(
  query: Query,
  link: Parameters<typeof spend>[1],
): Promise<RowOf<typeof spend> | null> {
  const [row] = await spend(query, link);
  return row ?? null;
}

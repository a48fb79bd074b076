import { builder, named } from '../builder.ts';
import type { Query } from '../client.ts';
import { and, eq, gt } from '../drizzle.ts';
import { magicLinks } from '../schema/sessions.ts';
import { defineStatement, type RowOf } from '../statement.ts';

export const insertMagicLink = defineStatement(
  {
    hash: magicLinks.tokenHash,
    /** From the cookie of the browser that requested the link, or from what else the link is bound to. */
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

const check = defineStatement(
  { hash: magicLinks.tokenHash, browserHash: magicLinks.browserHash, now: magicLinks.expiresAt },
  ({ hash, browserHash, now }) =>
    builder
      .select(named({ expiresAt: magicLinks.expiresAt }))
      .from(magicLinks)
      .where(
        and(eq(magicLinks.tokenHash, hash), eq(magicLinks.browserHash, browserHash), gt(magicLinks.expiresAt, now)),
      ),
);

/** Whether a link could be used up there. */
export async function isLinkValid(query: Query, link: Parameters<typeof check>[1]): Promise<boolean> {
  return (await check(query, link)).length > 0;
}

const removeBound = defineStatement({ browserHash: magicLinks.browserHash }, ({ browserHash }) =>
  builder.delete(magicLinks).where(eq(magicLinks.browserHash, browserHash)),
);

/** Removes all links that are bound to the same as one that was used. */
export async function deleteLinksBoundTo(query: Query, browserHash: Buffer): Promise<void> {
  await removeBound(query, { browserHash });
}

/** Consumes a link, once, in the browser that requested it. Null if the link is invalid there or no longer valid. */
export async function spendMagicLink(
  query: Query,
  link: Parameters<typeof spend>[1],
): Promise<RowOf<typeof spend> | null> {
  const [row] = await spend(query, link);
  return row ?? null;
}

import { builder, named } from '../builder.ts';
import type { Query } from '../client.ts';
import { and, eq, lte, sql } from '../drizzle.ts';
import { passkeys, spentChallenges } from '../schema/passkeys.ts';
import { users } from '../schema/users.ts';
import { defineStatement, type RowOf } from '../statement.ts';

const shown = {
  ...{ id: passkeys.id, name: passkeys.name, backedUp: passkeys.backedUp },
  ...{ createdAt: passkeys.createdAt, lastUsedAt: passkeys.lastUsedAt },
};

const list = defineStatement({ userId: passkeys.userId }, ({ userId }) =>
  builder
    .select(named({ ...shown, credentialId: passkeys.credentialId, transports: passkeys.transports }))
    .from(passkeys)
    .where(eq(passkeys.userId, userId))
    .orderBy(passkeys.id),
);

/** The passkeys of a user, in the order in which they were added. */
export async function listPasskeys(query: Query, userId: string): Promise<readonly RowOf<typeof list>[]> {
  return await list(query, { userId });
}

const find = defineStatement({ credentialId: passkeys.credentialId }, ({ credentialId }) =>
  builder
    .select(
      named({
        ...{ id: passkeys.id, userId: passkeys.userId, email: users.email },
        ...{ publicKey: passkeys.publicKey, counter: passkeys.counter },
      }),
    )
    .from(passkeys)
    .innerJoin(users, eq(users.id, passkeys.userId))
    .where(eq(passkeys.credentialId, credentialId)),
);

/** A passkey with what its verification needs, and its user. */
export type StoredPasskey = RowOf<typeof find>;

/** The passkey with this id of its authenticator; null if there is none. */
export async function findPasskey(query: Query, credentialId: Buffer): Promise<StoredPasskey | null> {
  const [row] = await find(query, { credentialId });
  return row ?? null;
}

const findOwner = defineStatement({ email: users.email }, ({ email }) =>
  builder
    .select(named({ id: users.id }))
    .from(users)
    .where(sql`lower(${users.email}) = lower(${email})`),
);

/** The id of the user with this address; null if there is none. */
export async function findPasskeyOwner(query: Query, email: string): Promise<string | null> {
  const [row] = await findOwner(query, { email });
  return row?.id ?? null;
}

const lockOwner = defineStatement({ userId: users.id }, ({ userId }) =>
  builder
    .select(named({ id: users.id }))
    .from(users)
    .where(eq(users.id, userId))
    .for('update'),
);

/** Serializes changes of the passkeys of one user, so that their limit is exact. */
export async function lockPasskeysOf(query: Query, userId: string): Promise<void> {
  await lockOwner(query, { userId });
}

const keep = defineStatement({ id: passkeys.id }, ({ id }) =>
  builder
    .select(named({ id: passkeys.id }))
    .from(passkeys)
    .where(eq(passkeys.id, id))
    .for('key share'),
);

/** Keeps a passkey from being removed until the transaction ends. Returns false if it has been removed. */
export async function keepPasskey(query: Query, id: string): Promise<boolean> {
  return (await keep(query, { id })).length > 0;
}

const insert = defineStatement(
  {
    ...{ id: passkeys.id, userId: passkeys.userId, credentialId: passkeys.credentialId },
    ...{ publicKey: passkeys.publicKey, counter: passkeys.counter, transports: passkeys.transports },
    ...{ name: passkeys.name, backedUp: passkeys.backedUp, now: passkeys.createdAt },
  },
  ({ now, ...passkey }) =>
    builder
      .insert(passkeys)
      .values({ ...passkey, createdAt: now })
      .onConflictDoNothing({ target: passkeys.credentialId })
      .returning(named(shown)),
);

/** A passkey as its user sees it. */
export type PasskeyRow = RowOf<typeof insert>;

/** Stores a passkey; null if its credential id is already stored, for this user or another one. */
export async function insertPasskey(query: Query, passkey: Parameters<typeof insert>[1]): Promise<PasskeyRow | null> {
  const [row] = await insert(query, passkey);
  return row ?? null;
}

const recordUse = defineStatement(
  { id: passkeys.id, counter: passkeys.counter, backedUp: passkeys.backedUp, now: passkeys.lastUsedAt },
  ({ id, counter, backedUp, now }) =>
    builder
      .update(passkeys)
      .set({ counter, backedUp, lastUsedAt: now })
      .where(
        and(
          eq(passkeys.id, id),
          sql`(${passkeys.counter} < ${counter} OR (${passkeys.counter} = 0 AND ${counter} = 0))`,
        ),
      )
      .returning(named({ id: passkeys.id })),
);

/** Stores a use of a passkey. Returns false, and stores nothing, if its counter did not grow or the passkey was removed. */
export async function recordPasskeyUse(query: Query, use: Parameters<typeof recordUse>[1]): Promise<boolean> {
  return (await recordUse(query, use)).length > 0;
}

const OWN = { userId: passkeys.userId, id: passkeys.id };

const rename = defineStatement({ ...OWN, name: passkeys.name }, ({ userId, id, name }) =>
  builder
    .update(passkeys)
    .set({ name })
    .where(and(eq(passkeys.userId, userId), eq(passkeys.id, id)))
    .returning(named(shown)),
);

/** Null if the user has no passkey with this id. */
export async function renamePasskey(
  query: Query,
  userId: string,
  id: string,
  name: string,
): Promise<PasskeyRow | null> {
  const [row] = await rename(query, { userId, id, name });
  return row ?? null;
}

const remove = defineStatement(OWN, ({ userId, id }) =>
  builder
    .delete(passkeys)
    .where(and(eq(passkeys.userId, userId), eq(passkeys.id, id)))
    .returning(named(shown)),
);

/** Returns the passkey as it was; null if the user has none with this id. */
export async function deletePasskey(query: Query, userId: string, id: string): Promise<PasskeyRow | null> {
  const [row] = await remove(query, { userId, id });
  return row ?? null;
}

const spend = defineStatement(
  { hash: spentChallenges.challengeHash, expiresAt: spentChallenges.expiresAt },
  ({ hash, expiresAt }) =>
    builder
      .insert(spentChallenges)
      .values({ challengeHash: hash, expiresAt })
      .onConflictDoNothing({ target: spentChallenges.challengeHash })
      .returning(named({ expiresAt: spentChallenges.expiresAt })),
);

/** Uses up a challenge. Returns false if it was used before, in any process. */
export async function spendChallenge(
  query: Query,
  challenge: { readonly hash: Buffer; readonly expiresAt: Date },
): Promise<boolean> {
  return (await spend(query, challenge)).length > 0;
}

const purge = defineStatement({ now: spentChallenges.expiresAt }, ({ now }) =>
  builder.delete(spentChallenges).where(lte(spentChallenges.expiresAt, now)),
);

/** Removes used challenges that have expired, so that no browser can return them anymore. */
export async function purgeSpentChallenges(query: Query, now: Date): Promise<void> {
  await purge(query, { now });
}

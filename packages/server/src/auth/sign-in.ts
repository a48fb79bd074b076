import { LIMITS } from '@postrider/core';
import type { Clock } from '../clock.ts';
import type { Sql, Transaction } from '../db/client.ts';
import { insertAccount, insertMember } from '../db/queries/accounts.ts';
import { appendAudit } from '../db/queries/audit-log.ts';
import { keepPasskey } from '../db/queries/passkeys.ts';
import { deleteSession, insertSession } from '../db/queries/sessions.ts';
import { ensureUser, findIdentity, insertIdentity, readSeats, type SeatRow, takeSeats } from '../db/queries/users.ts';
import type { SessionKind } from '../db/schema/sessions.ts';
import type { IdGenerator } from '../uuid-v7.ts';
import { createSessionToken, hashToken } from './session-token.ts';

export interface SignInTools {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  /** The setting POSTRIDER_SIGNUP: whether an unknown address creates an account. */
  readonly isSignupOpen: boolean;
}

/** A user who has proven their address, or whom a provider identifies by its own id. */
export interface Arrival {
  /** Null if the provider has not verified an address. */
  readonly email: string | null;
  readonly name: string | null;
  readonly identity: { readonly issuer: string; readonly subject: string } | null;
  /** The sign-in method as the audit log names it: `magic_link`, `passkey`, `oauth:github`, `device`, `development`. */
  readonly how: string;
  /** The passkey that has proven it. */
  readonly passkeyId?: string;
}

/** The browser or program that signs in: how it describes itself, and its address. */
export interface SignInClient {
  readonly client: string;
  readonly address: string;
}

/** The passkey of a sign-in was removed after its signature was verified. */
export class RemovedPasskeyError extends Error {}

export type SignInVerdict =
  | { readonly kind: 'signed-in'; readonly token: string; readonly seat: SeatRow }
  /** The user is unknown, and sign-up is closed. */
  | { readonly kind: 'unknown' }
  /** The provider's id for the user is unknown here, and the provider has verified no address. */
  | { readonly kind: 'unverified' };

/**
 * Starts a session for a user who has proven who they are. They get all seats reserved for their address. If they have none and sign-up is
 * open, they get a new account. The session is always new; `former`, the browser's previous session, ends.
 * @throws RemovedPasskeyError
 */
export async function signIn(
  tools: SignInTools,
  arrival: Arrival,
  from: SignInClient,
  former: { readonly token: string; readonly kind: SessionKind } | null = null,
): Promise<SignInVerdict> {
  return await tools.sql.begin(async (transaction): Promise<SignInVerdict> => {
    const user = await findUser(transaction, tools, arrival);
    if (user === null) return { kind: arrival.email === null ? 'unverified' : 'unknown' };
    const [seat] = user.seats;
    if (seat === undefined) throw new Error('a user without a seat');
    const passkeyId = arrival.passkeyId ?? null;
    if (passkeyId !== null && !(await keepPasskey(transaction, passkeyId))) throw new RemovedPasskeyError();
    if (former !== null) await endStoredSession(transaction, tools, former);
    const token = await beginSession(transaction, tools, {
      userId: user.userId,
      seat,
      ...{ kind: 'cookie', mayDecide: true, from },
      ...{ how: arrival.how, passkeyId },
    });
    return { kind: 'signed-in', token, seat };
  });
}

/** Stores a session in a seat and records it in that account's audit log. The token is only in the return value. */
export async function beginSession(
  transaction: Transaction,
  { clock, ids }: Pick<SignInTools, 'clock' | 'ids'>,
  session: {
    readonly userId: string;
    readonly seat: Pick<SeatRow, 'accountId' | 'memberId'>;
    readonly kind: SessionKind;
    readonly from: SignInClient;
    /** Whether the session may decide held sends if the role may; always true in a browser. */
    readonly mayDecide: boolean;
    readonly how: string;
    /** The passkey that started it, with which it ends. */
    readonly passkeyId?: string | null;
  },
): Promise<string> {
  const now = clock.now();
  const { accountId, memberId } = session.seat;
  const { token, hash } = createSessionToken();
  const id = ids.next(now);
  const { userId, kind, mayDecide, from, how, passkeyId = null } = session;
  await insertSession(transaction, { id, userId, accountId, memberId, kind, mayDecide, ...from, passkeyId, hash, now });
  const entry = {
    accountId,
    id: ids.next(now),
    action: 'session.started',
    actor: memberId,
    targetId: id,
    now,
  } as const;
  const asked = kind === 'device' ? { ...from, approvals: mayDecide } : {};
  await appendAudit(transaction, [{ ...entry, details: { how, ...asked } }]);
  return token;
}

/** Deletes a session and records it in the audit log of its account; does nothing if it has already ended. */
export async function endStoredSession(
  transaction: Transaction,
  { clock, ids }: Pick<SignInTools, 'clock' | 'ids'>,
  { token, kind }: { readonly token: string; readonly kind: SessionKind },
): Promise<void> {
  const ended = await deleteSession(transaction, hashToken(token), kind);
  if (ended === null) return;
  const { accountId, memberId: actor, id: targetId } = ended;
  const now = clock.now();
  const entry = { accountId, id: ids.next(now), action: 'session.ended', actor, targetId, details: {}, now } as const;
  await appendAudit(transaction, [entry]);
}

interface FoundUser {
  readonly userId: string;
  readonly seats: readonly SeatRow[];
}

/** Returns null, and writes nothing, if the user is unknown and sign-up is closed. */
async function findUser(
  transaction: Transaction,
  tools: SignInTools,
  { identity, email, name }: Arrival,
): Promise<FoundUser | null> {
  const known = identity === null ? null : await findIdentity(transaction, identity);
  const address = known?.email ?? email;
  if (address === null) return null;
  const now = tools.clock.now();
  // The savepoint undoes the writes if the user gets no seat.
  return await transaction
    .savepoint(async (attempt): Promise<FoundUser> => {
      const userId = await ensureUser(attempt, { id: tools.ids.next(now), email: address, name, now });
      const joined = await takeSeats(attempt, { userId, email: address, now });
      await noteJoined(attempt, tools, joined, now);
      if (identity !== null) await insertIdentity(attempt, { ...identity, userId, now });
      const seats = await readSeats(attempt, userId);
      if (seats.length > 0) return { userId, seats };
      if (!tools.isSignupOpen) throw new NoSeatError();
      await openAccount(attempt, tools, { userId, email: address, name }, now);
      return { userId, seats: await readSeats(attempt, userId) };
    })
    .catch((error: unknown) => {
      if (error instanceof NoSeatError) return null;
      throw error;
    });
}

class NoSeatError extends Error {}

async function noteJoined(
  transaction: Transaction,
  { ids }: SignInTools,
  joined: Awaited<ReturnType<typeof takeSeats>>,
  now: Date,
): Promise<void> {
  const entries = joined.map(({ accountId, memberId, role }) => {
    const entry = {
      accountId,
      id: ids.next(now),
      action: 'member.joined',
      actor: memberId,
      targetId: memberId,
    } as const;
    return { ...entry, details: { role }, now };
  });
  await appendAudit(transaction, entries);
}

/** Creates the account of a new user. It has no key yet: its owner creates one. */
async function openAccount(
  transaction: Transaction,
  { ids }: SignInTools,
  { userId, email, name }: { readonly userId: string; readonly email: string; readonly name: string | null },
  now: Date,
): Promise<void> {
  const [id, memberId] = [ids.next(now), ids.next(now)];
  await insertAccount(transaction, { id, name: (name ?? email).slice(0, LIMITS.accountNameCharacters).trim(), now });
  await insertMember(transaction, { accountId: id, id: memberId, email, role: 'owner', now });
  await takeSeats(transaction, { userId, email, now });
}

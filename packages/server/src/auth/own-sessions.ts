import { LIMITS } from '@postrider/core';
import type { Transaction } from '../db/client.ts';
import { appendAudit } from '../db/queries/audit-log.ts';
import {
  deleteConfirmedCodes,
  deleteOtherSessions,
  deleteOwnSession,
  lockOwnSession,
  type OwnSessionRow,
  readOwnSessions,
} from '../db/queries/own-sessions.ts';
import type { EndedSessionRow } from '../db/queries/sessions.ts';
import type { User } from '../keys/caller.ts';
import { isUuid } from '../uuid-v7.ts';
import type { AuthServices } from './auth-services.ts';
import { endOfSession, sessionHorizons } from './session-lifetime.ts';
import type { SignInTools } from './sign-in.ts';

type OwnTools = Pick<AuthServices, 'tools' | 'sessions'>;
type Caller = Pick<User, 'userId' | 'sessionId' | 'isDevice'>;

/** The user's active sessions. */
export async function listSessions({ tools: { sql, clock } }: Pick<AuthServices, 'tools'>, { userId }: Caller) {
  return await readOwnSessions(sql, { userId, ...sessionHorizons(clock.now()) }, LIMITS.sessionsListed);
}

/** `browser`: a device asked to end a browser's session, which is not allowed. */
export type EndVerdict =
  | { readonly kind: 'ended'; readonly session: OwnSessionRow }
  | { readonly kind: 'missing' | 'browser' };

/**
 * Ends a session of the user. A device cannot end a browser's session: a stolen device could otherwise sign out the user, who could then
 * not end the device's session.
 */
export async function endOne({ tools, sessions }: OwnTools, caller: Caller, id: string): Promise<EndVerdict> {
  if (!isUuid(id)) return { kind: 'missing' };
  const verdict = await tools.sql.begin(async (transaction): Promise<EndVerdict> => {
    const session = await lockOwnSession(transaction, caller.userId, id.toLowerCase());
    if (session === null || endOfSession(session) <= tools.clock.now()) return { kind: 'missing' };
    if (caller.isDevice && session.kind === 'cookie') return { kind: 'browser' };
    await deleteOwnSession(transaction, caller.userId, session.id);
    await noteEnded(transaction, tools, [session], caller);
    return { kind: 'ended', session };
  });
  sessions.forget();
  return verdict;
}

/** Ends the user's other sessions that this one may end. Returns their number. */
export async function endOthers({ tools, sessions }: OwnTools, caller: Caller): Promise<number> {
  const { userId, sessionId: exceptId, isDevice } = caller;
  const ended = await tools.sql.begin(async (transaction) => {
    await deleteConfirmedCodes(transaction, userId);
    const rows = await deleteOtherSessions(transaction, { userId, exceptId, kind: isDevice ? 'device' : null });
    await noteEnded(transaction, tools, rows, caller);
    return { count: rows.length };
  });
  sessions.forget();
  return ended.count;
}

/** Records in each account's audit log which of its sessions ended, and which session ended them; null: the operator did. */
export async function noteEnded(
  transaction: Transaction,
  { clock, ids }: Pick<SignInTools, 'clock' | 'ids'>,
  ended: readonly EndedSessionRow[],
  { sessionId: bySession }: { readonly sessionId: string | null },
): Promise<void> {
  const now = clock.now();
  await appendAudit(
    transaction,
    ended.map(({ id: targetId, accountId, memberId }) => ({
      ...({
        id: ids.next(now),
        accountId,
        actor: bySession === null ? 'operator' : memberId,
        targetId,
        action: 'session.ended',
        details: { bySession },
        now,
      } as const),
    })),
  );
}

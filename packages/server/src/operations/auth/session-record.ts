import type { OperationById, OperationOutput } from '@postrider/core';
import type { LiveSession } from '../../sessions/session-authenticator.ts';

type SessionRecord = OperationOutput<OperationById<'auth.session'>>;

/** Who is signed in; null for nobody. */
export function toSession(session: LiveSession | null): SessionRecord {
  const person = session?.caller.person ?? null;
  if (session === null || person === null) return { authenticated: false, user: null, account: null, expiresAt: null };
  const { userId: id, memberId, email, name, role } = person;
  const { accountId, accountName } = session.caller;
  return {
    authenticated: true,
    user: { id, memberId, email, name, role },
    account: { id: accountId, name: accountName },
    expiresAt: session.expiresAt.toISOString(),
  };
}

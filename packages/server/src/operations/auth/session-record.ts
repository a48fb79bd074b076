import type { OperationById, OperationOutput } from '@postrider/core';
import { UNNAMED_CLIENT } from '../../auth/device-client.ts';
import type { LiveSession } from '../../auth/session-authenticator.ts';

type SessionRecord = OperationOutput<OperationById<'auth.session'>>;

const SIGNED_OUT: SessionRecord = {
  authenticated: false,
  user: null,
  account: null,
  scopes: null,
  device: null,
  expiresAt: null,
};

export function toSession(session: LiveSession | null): SessionRecord {
  const user = session?.caller.user ?? null;
  if (session === null || user === null) return SIGNED_OUT;
  const { userId: id, memberId, email, name, role, isDevice, client } = user;
  const { accountId, accountName, scopes } = session.caller;
  return {
    authenticated: true,
    user: { id, memberId, email, name, role },
    account: { id: accountId, name: accountName },
    scopes: [...scopes],
    device: isDevice ? { client: client ?? UNNAMED_CLIENT, approvals: scopes.includes('approvals:decide') } : null,
    expiresAt: session.expiresAt.toISOString(),
  };
}

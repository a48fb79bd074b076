import type { SessionToken } from '../../auth/client-info.ts';
import type { User } from '../../keys/caller.ts';
import { ProblemError } from '../../problem.ts';
import type { UserContext } from '../context.ts';

/** The signed-in user of a call that API keys cannot make. @throws ProblemError if the call has no session */
export function requireSession({ caller, clientInfo }: Pick<UserContext, 'caller' | 'clientInfo'>): {
  readonly user: User;
  readonly sessionToken: SessionToken;
} {
  const sessionToken = clientInfo?.sessionToken ?? null;
  if (caller.user === null || sessionToken === null) throw new ProblemError('session_required');
  return { user: caller.user, sessionToken };
}

import type { SessionToken } from '../../auth/client-info.ts';
import type { Person } from '../../keys/caller.ts';
import { ProblemError } from '../../problem.ts';
import type { PersonContext } from '../context.ts';

/** The signed-in user of a call that API keys cannot make. @throws ProblemError if the call has no session */
export function requireSession({ caller, clientInfo }: Pick<PersonContext, 'caller' | 'clientInfo'>): {
  readonly person: Person;
  readonly sessionToken: SessionToken;
} {
  const sessionToken = clientInfo?.sessionToken ?? null;
  if (caller.person === null || sessionToken === null) throw new ProblemError('session_required');
  return { person: caller.person, sessionToken };
}

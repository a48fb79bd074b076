import type { BorneToken } from '../../auth/visit.ts';
import type { Person } from '../../keys/caller.ts';
import { ProblemError } from '../../problem.ts';
import type { PersonContext } from '../context.ts';

/** The person behind a call that only people can make. @throws ProblemError where there is none */
export function signedIn({ caller, visit }: Pick<PersonContext, 'caller' | 'visit'>): {
  readonly person: Person;
  readonly borne: BorneToken;
} {
  const borne = visit?.borne ?? null;
  if (caller.person === null || borne === null) throw new ProblemError('session_required');
  return { person: caller.person, borne };
}

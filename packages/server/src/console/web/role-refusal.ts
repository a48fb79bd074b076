import { ProblemError } from '../../problem.ts';
import type { PageRequest } from './page-request.ts';

/** For a page that the user's role does not include. It is the same whether what the page would show exists or not. */
export function refusedForRole({ caller: { user } }: PageRequest): ProblemError {
  return new ProblemError('missing_scope', {
    detail: `Your role, ${user.role}, does not have access to this page.`,
    fix: 'If you need it, ask an owner or admin of the account to change your role.',
  });
}

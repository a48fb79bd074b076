import { ProblemError } from '../../problem.ts';

export function ticketNotFound(id: string): ProblemError {
  return new ProblemError('not_found', { detail: `There is no ticket ${id} in this account.` });
}

import { foldAddress, parseMailbox } from '@postrider/core';
import type { SuppressionName } from '../../db/queries/suppressions.ts';
import { ProblemError } from '../../problem.ts';
import { isUuid } from '../../uuid-v7.ts';

/**
 * What a path names: the id of an entry, or an address in any spelling.
 * @throws ProblemError `not_found` if it can be neither.
 */
export function toSuppressionName(given: string): SuppressionName {
  const folded = given.toLowerCase();
  if (isUuid(folded)) return { id: folded };
  const verdict = parseMailbox(given);
  if (!verdict.ok) throw unknownSuppression(given);
  return { email: foldAddress(verdict.mailbox.address) };
}

export function unknownSuppression(given: string): ProblemError {
  return new ProblemError('not_found', { detail: `There is no suppression ${given} in this account.` });
}

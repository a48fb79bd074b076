import { hasForbiddenCharacter, LIMITS, parseMailbox } from '@postrider/core';

/**
 * Normalizes a provider's address claim, so that letters that only look alike, or become equal when folded, cannot match another user's
 * address. Returns null if the claim is not an address.
 */
export function toProviderAddress(claim: unknown): string | null {
  if (typeof claim !== 'string' || claim.includes('<')) return null;
  const verdict = parseMailbox(claim);
  return verdict.ok ? verdict.mailbox.address : null;
}

/** A user's name at a provider, where users can enter anything. Null if it cannot be shown or mailed. */
export function toProviderName(claim: unknown): string | null {
  if (typeof claim !== 'string' || hasForbiddenCharacter(claim)) return null;
  const name = claim.toWellFormed().slice(0, LIMITS.accountNameCharacters).toWellFormed().trim();
  return name === '' ? null : name;
}

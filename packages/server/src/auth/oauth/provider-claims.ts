import { hasForbiddenCharacter, LIMITS, parseMailbox } from '@postrider/core';

/**
 * An address as a provider has it, in the form that addresses have here: so that letters which only look alike, or become the same without case,
 * are nobody else's address. Null where it is none.
 */
export function toProviderAddress(claim: unknown): string | null {
  if (typeof claim !== 'string' || claim.includes('<')) return null;
  const verdict = parseMailbox(claim);
  return verdict.ok ? verdict.mailbox.address : null;
}

/** The name of a person at a provider, who may have written there whatever they liked; null where it cannot be shown or mailed. */
export function toProviderName(claim: unknown): string | null {
  if (typeof claim !== 'string' || hasForbiddenCharacter(claim)) return null;
  const name = claim.toWellFormed().slice(0, LIMITS.accountNameCharacters).toWellFormed().trim();
  return name === '' ? null : name;
}

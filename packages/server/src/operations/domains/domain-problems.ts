import { LIMITS } from '@postrider/core';
import { ProblemError } from '../../problem.ts';
import type { BeginRefusal, SelectorTaken } from '../../sending-domains/add-domain.ts';
import type { NameClaim } from '../../sending-domains/domain-claim.ts';
import type { TooManyKeys } from '../../sending-domains/key-maker.ts';

export function unknownDomain(id: string): ProblemError {
  return new ProblemError('not_found', {
    detail: `There is no domain ${id} in this account, or it was removed.`,
    fix: 'Check the id; a removed domain is in the history and can be restored.',
  });
}

/**
 * Why a name cannot begin in an account.
 * @param call the one that is to be made again once there is room or the challenge is published, in words, and the field that it is at fault in.
 */
export function cannotBegin(
  refusal: BeginRefusal,
  name: string,
  { again, path }: { readonly again: string; readonly path: 'name' | 'id' },
): ProblemError {
  switch (refusal.kind) {
    case 'exists':
      return new ProblemError('already_exists', {
        detail: `The account has the domain ${name} already.`,
        fix: 'Use the existing domain: list the domains to find its id.',
        errors: [{ path, code: 'taken', message: `${name} is taken` }],
      });
    case 'too-many': {
      const message = `is one more than the ${LIMITS.domainsPerAccount} domains an account can have`;
      return new ProblemError('validation_failed', {
        detail: `${name} ${message}.`,
        fix: `Remove a domain first (DELETE /domains/:id), then ${again}.`,
        errors: [{ path, code: 'too_many', message: `${message}; remove one first` }],
      });
    }
    case 'too-many-keys':
      return tooManyKeys(refusal);
    case 'claimed':
      return claimed(name, refusal.claim, again);
  }
}

/** Not the same where the DNS could not be asked: the challenge may well be published. */
export function claimed(name: string, { challenge, isVerified, outcome }: NameClaim, again: string): ProblemError {
  const { host, value } = challenge;
  const held = `Another account of this server has ${isVerified ? 'verified' : 'proven that it owns'} ${name}`;
  if (outcome === 'unanswered') {
    return new ProblemError('domain_claimed', {
      detail: `${held}, and the DNS did not answer whether the challenge at ${host} is published.`,
      fix: `If a TXT record at ${host} has the value ${value} already, ${again} again in a few minutes. If it has not, publish it first.`,
      retryable: true,
    });
  }
  return new ProblemError('domain_claimed', {
    detail: `${held}.`,
    fix: `If ${name} is yours, publish a TXT record at ${host} with the value ${value} and ${again} again: the name is then yours, and the other account loses it.`,
  });
}

export function tooManyKeys({ retryAfterSeconds }: TooManyKeys): ProblemError {
  return new ProblemError('rate_limited', {
    detail: `An account can have ${LIMITS.dkimKeysPerHour} DKIM keys made an hour, and these were.`,
    headers: { 'retry-after': String(retryAfterSeconds) },
  });
}

/** A selector names one key, also for a while after that key or its domain is gone. */
export function selectorTaken({ selector, name }: SelectorTaken): ProblemError {
  return new ProblemError('already_exists', {
    detail: `${name} had a key with the selector ${selector} not long ago, and caches may still hold its record.`,
    fix: 'Name a selector that the domain has not had lately, or leave `dkimSelector` out.',
    errors: [{ path: 'dkimSelector', code: 'taken', message: `${selector} is taken` }],
  });
}

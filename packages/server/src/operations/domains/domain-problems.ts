import { LIMITS, nameOperation } from '@postrider/core';
import { ProblemError } from '../../problem.ts';
import type { BeginRefusal, SelectorTaken } from '../../sending-domains/add-domain.ts';
import type { NameClaim } from '../../sending-domains/domain-claim.ts';
import type { TooManyKeys } from '../../sending-domains/key-maker.ts';
import { isUuid } from '../../uuid-v7.ts';

export function unknownDomain(id: string): ProblemError {
  return new ProblemError('not_found', {
    detail: `There is no domain ${id} in this account, or it was removed.`,
    fix: `Check the id. ${nameOperation('domains.history')} lists removed domains, which can be restored.`,
  });
}

/**
 * Ids are UUIDs, so no domain has another one, and the database would reject it.
 * @throws ProblemError `not_found`, as for an id that no domain has
 */
export function assertDomainId(id: string): void {
  if (!isUuid(id)) throw unknownDomain(id);
}

/**
 * Why an account cannot begin to use a domain name.
 * @param call `again`: what to repeat after freeing room or publishing the challenge, in words; `path`: the field that is at fault.
 */
export function cannotBegin(
  refusal: BeginRefusal,
  name: string,
  { again, path }: { readonly again: string; readonly path: 'name' | 'id' },
): ProblemError {
  switch (refusal.kind) {
    case 'exists':
      return new ProblemError('already_exists', {
        detail: `The account already has the domain ${name}.`,
        fix: `Use the existing domain: ${nameOperation('domains.list')} shows its id.`,
        errors: [{ path, code: 'taken', message: `${name} is taken` }],
      });
    case 'too-many': {
      const message = `would exceed the limit of ${LIMITS.domainsPerAccount} domains per account`;
      return new ProblemError('validation_failed', {
        detail: `${name} ${message}.`,
        fix: `Remove a domain with ${nameOperation('domains.delete')}, then ${again}.`,
        errors: [{ path, code: 'too_many', message: `${message}; remove one first` }],
      });
    }
    case 'too-many-keys':
      return tooManyKeys(refusal);
    case 'claimed':
      return claimed(name, refusal.claim, again);
  }
}

/** A failed DNS lookup is a separate case, because the challenge may well be published. */
export function claimed(name: string, { challenge, isVerified, outcome }: NameClaim, again: string): ProblemError {
  const { host, value } = challenge;
  const held = `Another account of this server has ${isVerified ? 'verified' : 'proven that it owns'} ${name}`;
  if (outcome === 'no-response') {
    return new ProblemError('domain_claimed', {
      detail: `${held}, and a DNS lookup of the challenge at ${host} failed.`,
      fix: `If the TXT record at ${host} already has the value ${value}, ${again} again in a few minutes. Otherwise publish it first.`,
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
    detail: `An account can generate at most ${LIMITS.dkimKeysPerHour} DKIM keys an hour.`,
    headers: { 'retry-after': String(retryAfterSeconds) },
  });
}

/** A selector names one key, and stays reserved for a while after that key or its domain is gone. */
export function selectorTaken({ selector, name }: SelectorTaken): ProblemError {
  return new ProblemError('already_exists', {
    detail: `${name} recently had a key with the selector ${selector}, and DNS caches may still contain its record.`,
    fix: 'Use a selector that the domain has not used recently, or omit `dkimSelector`.',
    errors: [{ path: 'dkimSelector', code: 'taken', message: `${selector} is taken` }],
  });
}

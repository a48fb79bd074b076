import type { Remark } from './finding.ts';
import { hostOfMailbox, hostsNamedIn, isWithin } from './hosts.ts';
import { findInvisible } from './invisible-characters.ts';
import type { LookAlikeFinder } from './look-alikes.ts';
import { mixesAlphabets } from './skeleton.ts';

/** What is unusual in a line that people read, such as a subject or a name. */
export function judgeLine(line: string): readonly (Remark | null)[] {
  return [findInvisible(line), findMixture(line)];
}

/** The same for a mailbox; a name that names another host is a claim, as in `"pay@acme.example" <x@evil.example>`. */
export function judgeMailbox(mailbox: string, lookAlikeOf: LookAlikeFinder): readonly (Remark | null)[] {
  const host = hostOfMailbox(mailbox);
  const at = mailbox.lastIndexOf('<');
  const name = at < 0 ? '' : mailbox.slice(0, at);
  return [...judgeLine(name), ...(host === null ? [] : [findClaim(name, host), lookAlikeOf(host)])];
}

function findClaim(name: string, host: string): Remark | null {
  for (const claim of hostsNamedIn(name)) {
    if (isWithin(host, claim.host) || isWithin(claim.host, host)) continue;
    return {
      kind: 'text-differs',
      level: 'warn',
      message: `The name contains ${claim.named}, but the address is at ${host}.`,
    };
  }
  return null;
}

function findMixture(line: string): Remark | null {
  const word = line
    .slice(0, 5_000)
    .split(/[^\p{L}\p{M}\p{N}]/u)
    .find(mixesAlphabets);
  if (word === undefined) return null;
  return {
    kind: 'foreign-letters',
    level: 'warn',
    message: `The word “${word.slice(0, 60)}” mixes the letters of several alphabets.`,
  };
}

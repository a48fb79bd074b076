import { createHmac } from 'node:crypto';
import type { NameHolder } from '../db/queries/domain-names.ts';
import { deriveKeys } from '../derived-keys.ts';
import type { DnsResult } from '../dns/dns-resolver.ts';

/** The TXT record with which an account proves that a name is its own although another account has verified it. */
export interface ClaimChallenge {
  readonly host: string;
  readonly value: string;
  /** The value under former secret keys, which proves as much if published. */
  readonly formerValues: readonly string[];
}

/** The current holder of the name. The challenge becomes invalid once the name moves or another account has it. */
export type ChallengedHolder = Pick<NameHolder, 'id' | 'takeovers'>;

/**
 * Computes a challenge. It is the same at every call, so nothing is stored, and differs for each account. When the name moves, the
 * challenge becomes invalid, so a record that stays published cannot take the name again.
 */
export type ClaimChallenges = (accountId: string, name: string, holder: ChallengedHolder) => ClaimChallenge;

/** A name that another account has, and the result of the challenge that would take it. */
export interface NameClaim {
  readonly challenge: ClaimChallenge;
  /** Whether the holder is verified; false if it met a challenge itself and its records are still missing. */
  readonly isVerified: boolean;
  /** `no-response`: the DNS lookup of the challenge failed. */
  readonly outcome: 'met' | 'missing' | 'no-response';
}

const LABEL = '_postrider-challenge';
const PREFIX = 'postrider-domain-challenge=';

/**
 * Creates the function that computes challenges.
 * @param secretKey the installation's 32-byte key, from which a key for this purpose only is derived
 * @param formerKeys former keys, whose challenges are still accepted
 */
export function createClaimChallenges(secretKey: Buffer, formerKeys: readonly Buffer[] = []): ClaimChallenges {
  const { present, former } = deriveKeys('postrider domain claims', secretKey, formerKeys);
  return (accountId, name, { id, takeovers }) => {
    const challengeWith = (key: Buffer) =>
      `${PREFIX}${createHmac('sha256', key).update(`${accountId} ${name} ${id} ${takeovers}`).digest('base64url')}`;
    return { host: `${LABEL}.${name}`, value: challengeWith(present), formerValues: former.map(challengeWith) };
  };
}

/** Whether the challenge is published. Other TXT records at the name do not matter. */
export function judgeChallenge(
  { value, formerValues }: ClaimChallenge,
  response: DnsResult<string>,
): NameClaim['outcome'] {
  if (response.kind === 'failed') return 'no-response';
  const proofs = [value, ...formerValues];
  return response.kind === 'found' && response.values.some((text) => proofs.includes(text.trim())) ? 'met' : 'missing';
}

/** The claim at this moment, under the lock of the name. The earlier lookup counts only if the challenge is still the same. */
export function renewClaim(challenge: ClaimChallenge, holder: NameHolder, asked: NameClaim | null): NameClaim {
  const isSame = asked?.challenge.value === challenge.value;
  return { challenge, isVerified: holder.isVerified, outcome: isSame ? asked.outcome : 'missing' };
}

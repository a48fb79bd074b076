import { createHmac } from 'node:crypto';
import type { NameHolder } from '../db/queries/domain-names.ts';
import { deriveKeys } from '../derived-keys.ts';
import type { DnsAnswer } from '../dns/dns-resolver.ts';

/** The TXT record by which an account proves that a name is its own although another account has verified it. */
export interface ClaimChallenge {
  readonly host: string;
  readonly value: string;
  /** What it was under former secret keys: whoever has published that has proven as much. */
  readonly formerValues: readonly string[];
}

/** Whom a challenge is against; it is void once another has the name, or the name has moved. */
export type ChallengedHolder = Pick<NameHolder, 'id' | 'takeovers'>;

/**
 * The same at every try, so that nothing has to be stored, and made for no other account. A name that moves voids it: one that is left published
 * takes nothing a second time.
 */
export type ClaimChallenges = (accountId: string, name: string, holder: ChallengedHolder) => ClaimChallenge;

/** A name that another account holds, and what came of the challenge that takes it from there. */
export interface NameClaim {
  readonly challenge: ClaimChallenge;
  /** Of the holder; not where it has met a challenge, and its records are still missing. */
  readonly isVerified: boolean;
  /** `unanswered`: the DNS could not be asked whether it is published. */
  readonly outcome: 'met' | 'missing' | 'unanswered';
}

const LABEL = '_postrider-challenge';
const PREFIX = 'postrider-domain-challenge=';

/** `secretKey`: the installation's 32 bytes, of which a key for this purpose alone is derived; `formerKeys` are still honoured. */
export function createClaimChallenges(secretKey: Buffer, formerKeys: readonly Buffer[] = []): ClaimChallenges {
  const { present, former } = deriveKeys('postrider domain claims', secretKey, formerKeys);
  return (accountId, name, { id, takeovers }) => {
    const challengeWith = (key: Buffer) =>
      `${PREFIX}${createHmac('sha256', key).update(`${accountId} ${name} ${id} ${takeovers}`).digest('base64url')}`;
    return { host: `${LABEL}.${name}`, value: challengeWith(present), formerValues: former.map(challengeWith) };
  };
}

/** Whether the challenge is published; any number of others may stand beside it. */
export function judgeChallenge(
  { value, formerValues }: ClaimChallenge,
  answer: DnsAnswer<string>,
): NameClaim['outcome'] {
  if (answer.kind === 'failed') return 'unanswered';
  const proofs = [value, ...formerValues];
  return answer.kind === 'found' && answer.values.some((text) => proofs.includes(text.trim())) ? 'met' : 'missing';
}

/** The claim as it stands now, under the lock of the name: what was asked before counts only for the challenge that is asked for now. */
export function renewClaim(challenge: ClaimChallenge, holder: NameHolder, asked: NameClaim | null): NameClaim {
  const isSame = asked?.challenge.value === challenge.value;
  return { challenge, isVerified: holder.isVerified, outcome: isSame ? asked.outcome : 'missing' };
}

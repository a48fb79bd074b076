import { type DomainRecord, LIMITS } from '@postrider/core';
import { dkimRecordValue } from './dkim-key.ts';
import type { PublicHost } from './public-host.ts';

/** The properties of a key that its DNS record depends on. */
export interface ListedKey {
  readonly selector: string;
  readonly algorithm: 'rsa' | 'ed25519';
  readonly publicKey: string;
  readonly state: 'waiting' | 'signing' | 'retired';
  /** An ISO 8601 time; null if the key is not retired. */
  readonly retiredAt: string | null;
}

/** A record to publish, before any lookup. */
export interface ExpectedRecord
  extends Pick<DomainRecord, 'purpose' | 'type' | 'name' | 'host' | 'value' | 'priority' | 'ttl' | 'required'> {
  /** The id under which its lookups are stored. */
  readonly id: string;
}

export interface RecordFacts {
  readonly name: string;
  readonly returnPathHost: string;
  readonly keys: readonly ListedKey[];
}

/** Long enough for caches, and short enough that a mistake can be corrected within an hour. */
const TTL_SECONDS = 3_600;
const MX_PRIORITY = 10;
/** The value to publish if there is no policy. It reports and forbids nothing, but large receivers require a policy. */
const DMARC_ADVICE = 'v=DMARC1; p=none';

/** The records of a domain, required ones first. */
export function expectedRecords(
  { name, returnPathHost, keys }: RecordFacts,
  own: PublicHost,
): readonly ExpectedRecord[] {
  const at = (host: string) => ({ host, name: host.slice(0, -(name.length + 1)), ttl: TTL_SECONDS });
  const dkim = keys.map((key) => ({
    ...at(dkimHost(key.selector, name)),
    id: dkimRecordId(key.selector),
    purpose: 'dkim' as const,
    type: 'TXT' as const,
    value: dkimRecordValue(key.publicKey, key.algorithm),
    priority: null,
    required: isRequiredKey(key),
  }));
  const spf = {
    id: 'spf',
    purpose: 'spf',
    type: 'TXT',
    value: `v=spf1 ${own.mechanism} ~all`,
    priority: null,
  } as const;
  const mx = { id: 'mx', purpose: 'mx', type: 'MX', value: own.name, priority: MX_PRIORITY } as const;
  const dmarc = { id: 'dmarc', purpose: 'dmarc', type: 'TXT', value: DMARC_ADVICE, priority: null } as const;
  return [
    ...dkim.filter(({ required }) => required),
    { ...at(returnPathHost), ...spf, required: true },
    { ...at(returnPathHost), ...mx, required: true },
    ...dkim.filter(({ required }) => !required),
    { ...at(`_dmarc.${name}`), ...dmarc, required: false },
  ];
}

/** The records that must be published before mail can be sent. */
export function recordsToPublish(facts: RecordFacts, own: PublicHost): readonly ExpectedRecord[] {
  return expectedRecords(facts, own).filter(({ required }) => required);
}

const DAY_MS = 86_400_000;

/** The keys whose records are listed: those in use, and recently retired ones, because mail they signed may still be in transit. */
export function listedKeys<Key extends ListedKey>(keys: readonly Key[], now: Date): readonly Key[] {
  return keys.filter(({ retiredAt }) => retiredAt === null || now.getTime() < unlistedAt(retiredAt).getTime());
}

/** When the record of a retired key can be removed. */
export function unlistedAt(retiredAt: string): Date {
  return new Date(Date.parse(retiredAt) + LIMITS.retiredKeyDays * DAY_MS);
}

/** All mail is signed with the RSA key, so without its record receivers could not verify mail. */
function isRequiredKey({ algorithm, state }: Pick<ListedKey, 'algorithm' | 'state'>): boolean {
  return algorithm === 'rsa' && state === 'signing';
}

export function dkimRecordId(selector: string): string {
  return `dkim:${selector}`;
}

export function dkimHost(selector: string, name: string): string {
  return `${selector}._domainkey.${name}`;
}

import { type DomainRecord, LIMITS } from '@postrider/core';
import { dkimRecordValue } from './dkim-key.ts';
import type { PublicHost } from './public-host.ts';

/** One key of a domain, as far as its record goes. */
export interface ListedKey {
  readonly selector: string;
  readonly algorithm: 'rsa' | 'ed25519';
  readonly publicKey: string;
  readonly state: 'waiting' | 'signing' | 'retired';
  /** ISO 8601. */
  readonly retiredAt: string | null;
}

/** A record to publish, before anything is known of it. */
export interface ExpectedRecord
  extends Pick<DomainRecord, 'purpose' | 'type' | 'name' | 'host' | 'value' | 'priority' | 'ttl' | 'required'> {
  /** Under which its look-ups are kept. */
  readonly id: string;
}

export interface RecordFacts {
  readonly name: string;
  readonly returnPathHost: string;
  readonly keys: readonly ListedKey[];
}

/** Long enough for caches, short enough that a mistake is mended within the hour. */
const TTL_SECONDS = 3_600;
const MX_PRIORITY = 10;
/** What to publish where there is nothing: reports nothing and forbids nothing, but large receivers want a policy to be there. */
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

/** What has to be published before mail may be sent. */
export function recordsToPublish(facts: RecordFacts, own: PublicHost): readonly ExpectedRecord[] {
  return expectedRecords(facts, own).filter(({ required }) => required);
}

const DAY_MS = 86_400_000;

/** The keys whose records are listed: those in use, and those that have signed until lately, for mail that is still on its way. */
export function listedKeys<Key extends ListedKey>(keys: readonly Key[], now: Date): readonly Key[] {
  return keys.filter(({ retiredAt }) => retiredAt === null || now.getTime() < unlistedAt(retiredAt).getTime());
}

/** When the record of a key that signs no more can go. */
export function unlistedAt(retiredAt: string): Date {
  return new Date(Date.parse(retiredAt) + LIMITS.retiredKeyDays * DAY_MS);
}

/** Mail carries the signature of the RSA key whatever else there is; without its record nothing would verify. */
function isRequiredKey({ algorithm, state }: Pick<ListedKey, 'algorithm' | 'state'>): boolean {
  return algorithm === 'rsa' && state === 'signing';
}

export function dkimRecordId(selector: string): string {
  return `dkim:${selector}`;
}

export function dkimHost(selector: string, name: string): string {
  return `${selector}._domainkey.${name}`;
}

import type { DomainRecord } from './schemas/domain.ts';

const STRING_BYTES = 255;

/**
 * The records of a domain as a zone file (RFC 1035, section 5.1) for import at a DNS host: absolute names, and TXT values in strings of at
 * most 255 bytes. The suggested DMARC policy is included only if DNS has none: receivers ignore both if there are two, and replacing an
 * existing one could weaken it. Otherwise comments describe what was found.
 */
export function toZoneFile(domain: string, records: readonly DomainRecord[]): string {
  const lines = records.flatMap((record) => (isWanted(record) ? [lineOf(record)] : comments(record)));
  return [`; DNS records of ${domain}`, ...lines, ''].join('\n');
}

function isWanted({ purpose, status, found }: DomainRecord): boolean {
  return purpose !== 'dmarc' || (status === 'fail' && found.length === 0);
}

/** The DNS result has a reason if the record was found at the organizational domain instead. */
function comments(record: DomainRecord): string[] {
  const { host, status, reason, found } = record;
  const at = status === 'pass' && reason !== null ? '' : `${host}. IN TXT `;
  const advice = found.length > 0 ? [] : [`; only if there is none yet: ${lineOf(record)}`];
  return [
    ...(reason === null ? [] : [`; DMARC: ${reason}`]),
    ...found.map((text) => `; published already: ${at}${stringsOf(text).map(quote).join(' ')}`),
    ...advice,
  ];
}

function lineOf(record: DomainRecord): string {
  return `${record.host}. ${record.ttl} IN ${record.type} ${dataOf(record)}`;
}

function dataOf({ type, priority, value }: DomainRecord): string {
  return type === 'MX' ? `${priority} ${value}.` : stringsOf(value).map(quote).join(' ');
}

/** Values are ASCII, so each character is one byte. */
function stringsOf(value: string): string[] {
  const strings: string[] = [];
  for (let at = 0; at < value.length; at += STRING_BYTES) strings.push(value.slice(at, at + STRING_BYTES));
  return strings;
}

function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

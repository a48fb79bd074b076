import { organisationalDomain } from '../diagnostics/organisational-domain.ts';
import { fail, type RecordVerdict } from './record-verdict.ts';

/**
 * Many DNS consoles add the zone to whatever name is typed in: a record whose full name was given to one stands below the zone twice
 * (`s._domainkey.example.com.example.com`). Where a record is missing, it is looked for there. It has to be the right one there to be named,
 * so that wildcards and records of others say nothing.
 * @param name the domain whose records these are; the zone is its own, or that of the organisation above it.
 * @param lookUp judges the record as if it were due at the host it is given.
 */
export async function seekWithZoneTwice(
  host: string,
  name: string,
  lookUp: (host: string) => Promise<RecordVerdict>,
): Promise<RecordVerdict> {
  const verdict = await lookUp(host);
  if (verdict.status !== 'fail' || verdict.found.length > 0) return verdict;
  const zones = [...new Set([name, organisationalDomain(name)])];
  const there = await Promise.all(zones.map(async (zone) => (await lookUp(`${host}.${zone}`)).status === 'pass'));
  const zone = zones.find((_, at) => there[at]);
  if (zone === undefined) return verdict;
  return fail(
    `${verdict.reason ?? ''} The record is at ${host}.${zone} instead: the DNS console adds ${zone} to names by itself, so enter the name without it.`.trim(),
  );
}

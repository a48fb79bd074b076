import { organizationalDomain } from '../diagnostics/organizational-domain.ts';
import { fail, type RecordVerdict } from './record-verdict.ts';

/**
 * Many DNS consoles append the zone to every name, so a full name entered there is stored with the zone twice
 * (`s._domainkey.example.com.example.com`). A missing record is also looked up at that name. It is reported only if it is the right record,
 * so wildcards and other records do not matter.
 * @param name the domain of these records. The zone is the domain itself or its organizational domain.
 * @param lookUp judges the record at the given host
 */
export async function seekWithZoneTwice(
  host: string,
  name: string,
  lookUp: (host: string) => Promise<RecordVerdict>,
): Promise<RecordVerdict> {
  const verdict = await lookUp(host);
  if (verdict.status !== 'fail' || verdict.found.length > 0) return verdict;
  const zones = [...new Set([name, organizationalDomain(name)])];
  const there = await Promise.all(zones.map(async (zone) => (await lookUp(`${host}.${zone}`)).status === 'pass'));
  const zone = zones.find((_, at) => there[at]);
  if (zone === undefined) return verdict;
  return fail(
    `${verdict.reason ?? ''} The record is at ${host}.${zone} instead: the DNS console adds ${zone} to names by itself, so enter the name without it.`.trim(),
  );
}

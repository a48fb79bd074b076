import { organizationalDomain } from '../diagnostics/organizational-domain.ts';
import type { DnsResolver, DnsResult } from '../dns/dns-resolver.ts';
import { checkDkimRecord } from './check-dkim-record.ts';
import { checkDmarcRecord } from './check-dmarc-record.ts';
import { checkMxRecord, judgeOtherExchange } from './check-mx-record.ts';
import { checkSpfRecord, judgeSpfEvaluations } from './check-spf-record.ts';
import { dkimHost, dkimRecordId, type RecordFacts } from './domain-records.ts';
import { evaluateSpf } from './evaluate-spf.ts';
import type { PublicHost } from './public-host.ts';
import { type RecordVerdict, unknown } from './record-verdict.ts';
import { seekWithZoneTwice } from './zone-twice.ts';

/** Looks up all records of a domain in parallel. Returns the verdicts by record id. Never rejects because of the DNS. */
export async function lookUpRecords(
  dns: DnsResolver,
  facts: RecordFacts,
  own: PublicHost,
): Promise<ReadonlyMap<string, RecordVerdict>> {
  const { name, returnPathHost, keys } = facts;
  const seek = (host: string, lookUp: (host: string) => Promise<RecordVerdict>) =>
    seekWithZoneTwice(host, name, lookUp);
  const questions: [string, Promise<RecordVerdict>][] = [
    ...keys.map((key): [string, Promise<RecordVerdict>] => [
      dkimRecordId(key.selector),
      seek(dkimHost(key.selector, name), async (host) => checkDkimRecord({ ...key, host }, await dns.txt(host))),
    ]),
    ['spf', seek(returnPathHost, (host) => lookUpSpf(dns, host, own))],
    ['mx', seek(returnPathHost, (host) => lookUpMx(dns, host, own))],
    ['dmarc', seek(`_dmarc.${name}`, (host) => lookUpDmarc(dns, host, name))],
  ];
  return new Map(await Promise.all(questions.map(async ([id, verdict]) => [id, await verdict] as const)));
}

async function lookUpSpf(dns: DnsResolver, host: string, own: PublicHost): Promise<RecordVerdict> {
  const judgment = checkSpfRecord(host, own.mechanism, await dns.txt(host));
  if (judgment.kind === 'decided') return judgment.verdict;
  const addresses = own.address === null ? await addressesOf(dns, own.name) : foundAddress(own.address);
  if (addresses.kind === 'failed') {
    return unknown(
      `The address of ${own.name}, which the record has to allow, could not be looked up.`,
      judgment.found,
    );
  }
  const values = addresses.kind === 'found' ? addresses.values : [];
  const evaluations = await Promise.all(values.map((address) => evaluateSpf(dns, { host, address, helo: own.helo })));
  return judgeSpfEvaluations(own.address ?? own.name, judgment, evaluations);
}

async function lookUpMx(dns: DnsResolver, host: string, own: PublicHost): Promise<RecordVerdict> {
  const judgment = checkMxRecord(host, own.name, await dns.mx(host));
  if (judgment.kind === 'decided') return judgment.verdict;
  const { exchange, found } = judgment;
  const [cname, addresses, ownAddresses] = await Promise.all([
    dns.cname(exchange),
    addressesOf(dns, exchange),
    addressesOf(dns, own.name),
  ]);
  return judgeOtherExchange(exchange, own.name, found, { cname, addresses, ownAddresses });
}

async function lookUpDmarc(dns: DnsResolver, host: string, name: string): Promise<RecordVerdict> {
  const ask = async (at: string) => ({ host: at, response: await dns.txt(at) });
  const above = `_dmarc.${organizationalDomain(name)}`;
  const isInPlace = host === `_dmarc.${name}`;
  return checkDmarcRecord(...(await Promise.all([ask(host), above === host || !isInPlace ? null : ask(above)])));
}

function foundAddress(address: string): DnsResult<string> {
  return { kind: 'found', values: [address] };
}

/** Both IPv4 and IPv6, because mail is sent over either. Fails if one of the lookups fails. */
async function addressesOf(dns: DnsResolver, name: string): Promise<DnsResult<string>> {
  const [v4, v6] = await Promise.all([dns.a(name), dns.aaaa(name)]);
  if (v4.kind === 'failed') return v4;
  if (v6.kind === 'failed') return v6;
  const values = [v4, v6].flatMap((response) => (response.kind === 'found' ? response.values : []));
  return values.length === 0 ? { kind: 'no-record' } : { kind: 'found', values };
}

import { organisationalDomain } from '../diagnostics/organisational-domain.ts';
import type { DnsAnswer, DnsResolver } from '../dns/dns-resolver.ts';
import { checkDkimRecord } from './check-dkim-record.ts';
import { checkDmarcRecord } from './check-dmarc-record.ts';
import { checkMxRecord, judgeOtherExchange } from './check-mx-record.ts';
import { checkSpfRecord, judgeSpfEvaluations } from './check-spf-record.ts';
import { dkimHost, dkimRecordId, type RecordFacts } from './domain-records.ts';
import { evaluateSpf } from './evaluate-spf.ts';
import type { PublicHost } from './public-host.ts';
import { type RecordVerdict, unknown } from './record-verdict.ts';

/** Looks every record of a domain up, side by side; answers the verdicts by record id. Never rejects for what the DNS does. */
export async function lookUpRecords(
  dns: DnsResolver,
  facts: RecordFacts,
  own: PublicHost,
): Promise<ReadonlyMap<string, RecordVerdict>> {
  const { name, returnPathHost, keys } = facts;
  const questions: [string, Promise<RecordVerdict>][] = [
    ...keys.map((key): [string, Promise<RecordVerdict>] => {
      const host = dkimHost(key.selector, name);
      return [dkimRecordId(key.selector), dns.txt(host).then((answer) => checkDkimRecord({ ...key, host }, answer))];
    }),
    ['spf', lookUpSpf(dns, returnPathHost, own)],
    ['mx', lookUpMx(dns, returnPathHost, own)],
    ['dmarc', lookUpDmarc(dns, name)],
  ];
  return new Map(await Promise.all(questions.map(async ([id, verdict]) => [id, await verdict] as const)));
}

async function lookUpSpf(dns: DnsResolver, host: string, own: PublicHost): Promise<RecordVerdict> {
  const judgement = checkSpfRecord(host, own.mechanism, await dns.txt(host));
  if (judgement.kind === 'decided') return judgement.verdict;
  const addresses = own.address === null ? await addressesOf(dns, own.name) : foundAddress(own.address);
  if (addresses.kind === 'failed') {
    return unknown(
      `The address of ${own.name}, which the record has to allow, could not be looked up.`,
      judgement.found,
    );
  }
  const values = addresses.kind === 'found' ? addresses.values : [];
  const evaluations = await Promise.all(values.map((address) => evaluateSpf(dns, { host, address, helo: own.helo })));
  return judgeSpfEvaluations(own.address ?? own.name, judgement, evaluations);
}

async function lookUpMx(dns: DnsResolver, host: string, own: PublicHost): Promise<RecordVerdict> {
  const judgement = checkMxRecord(host, own.name, await dns.mx(host));
  if (judgement.kind === 'decided') return judgement.verdict;
  const { exchange, found } = judgement;
  const [cname, addresses, ownAddresses] = await Promise.all([
    dns.cname(exchange),
    addressesOf(dns, exchange),
    addressesOf(dns, own.name),
  ]);
  return judgeOtherExchange(exchange, own.name, found, { cname, addresses, ownAddresses });
}

async function lookUpDmarc(dns: DnsResolver, name: string): Promise<RecordVerdict> {
  const ask = async (domain: string) => ({ host: `_dmarc.${domain}`, answer: await dns.txt(`_dmarc.${domain}`) });
  const organisation = organisationalDomain(name);
  const [own, above] = await Promise.all([ask(name), organisation === name ? null : ask(organisation)]);
  return checkDmarcRecord(own, above);
}

function foundAddress(address: string): DnsAnswer<string> {
  return { kind: 'found', values: [address] };
}

/** Both families: mail leaves over either. Failed where one of them could not be asked. */
async function addressesOf(dns: DnsResolver, name: string): Promise<DnsAnswer<string>> {
  const [v4, v6] = await Promise.all([dns.a(name), dns.aaaa(name)]);
  if (v4.kind === 'failed') return v4;
  if (v6.kind === 'failed') return v6;
  const values = [v4, v6].flatMap((answer) => (answer.kind === 'found' ? answer.values : []));
  return values.length === 0 ? { kind: 'no-record' } : { kind: 'found', values };
}

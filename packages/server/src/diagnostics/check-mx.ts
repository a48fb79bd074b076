import { isIP } from 'node:net';
import type { FindingCode } from '@postrider/core';
import ipaddr from 'ipaddr.js';
import type { DnsResolver, DnsResult, MxRecord } from '../dns/dns-resolver.ts';
import { refuseAddress } from '../outbound/public-address.ts';
import { createFindings, type Findings } from './findings.ts';

type Found = Findings<FindingCode<'mx'>>;

interface Row {
  readonly type: 'MX' | 'A' | 'AAAA' | 'CNAME' | 'PTR';
  readonly name: string;
  readonly value: string;
  readonly priority: number | null;
}

const MAX_HOSTS = 10;
const MAX_ADDRESSES = 6;
const MAX_NAMES = 3;

/** What a check works with. */
interface Check {
  readonly dns: DnsResolver;
  readonly findings: Found;
  readonly isPublicOnly: boolean;
}

/**
 * Checks with DNS alone whether mail can be delivered to a domain. Never throws.
 * @param isPublicOnly whether to withhold non-public addresses: our name servers may know internal machines.
 */
export async function checkMx(dns: DnsResolver, domain: string, { isPublicOnly }: { readonly isPublicOnly: boolean }) {
  const findings = createFindings('mx');
  const records = await readExchangers({ dns, findings, isPublicOnly }, domain);
  const isGood = records.length > 0 && !findings.list().some(({ code, level }) => level === 'fail' || UNSURE.has(code));
  if (isGood) findings.add('mx_valid');
  return { records, findings: findings.list() };
}

const UNSURE = new Set<FindingCode<'mx'>>(['mx_null', 'mx_could_not_check', 'mx_fallback_address']);

async function readExchangers(check: Check, domain: string): Promise<Row[]> {
  const { dns, findings } = check;
  const response = await dns.mx(domain);
  if (response.kind === 'found') return await readHosts(check, domain, response.values);
  if (response.kind === 'failed') findings.add('mx_could_not_check', `${domain}: ${response.reason}.`);
  if (response.kind === 'no-name') findings.add('mx_name_missing');
  return response.kind === 'no-record' ? await readFallback(check, domain) : [];
}

async function readFallback(check: Check, domain: string): Promise<Row[]> {
  const { rows, found, isFailed } = await readAddresses(check, domain);
  if (found > 0) check.findings.add('mx_fallback_address');
  else if (!isFailed) check.findings.add('mx_missing');
  return rows;
}

async function readHosts(check: Check, domain: string, exchangers: readonly MxRecord[]): Promise<Row[]> {
  const { findings } = check;
  const isNull = exchangers.some(({ exchange }) => exchange === '');
  if (isNull) findings.add(exchangers.length > 1 ? 'mx_null_with_others' : 'mx_null');
  if (exchangers.length > MAX_HOSTS) findings.add('mx_too_many', `There are ${exchangers.length}.`);
  const looked = exchangers.slice(0, MAX_HOSTS);
  const rows = await Promise.all(
    looked.map(async ({ priority, exchange }): Promise<Row[]> => {
      const row: Row = { type: 'MX', name: domain, value: exchange, priority };
      return exchange === '' ? [row] : [row, ...(await readHost(check, exchange))];
    }),
  );
  return rows.flat();
}

async function readHost(check: Check, host: string): Promise<readonly Row[]> {
  const { dns, findings, isPublicOnly } = check;
  if (isIP(host) !== 0) {
    findings.add('mx_is_address', `It is ${host}.`);
    return [];
  }
  const [alias, { rows, found, isFailed }] = await Promise.all([dns.cname(host), readAddresses(check, host)]);
  // If only our name servers know the addresses, the alias may be internal too.
  const isReported = alias.kind === 'found' && (!isPublicOnly || rows.length > 0);
  const aliases: Row[] = isReported ? alias.values.map((value) => row('CNAME', host, value)) : [];
  if (aliases.length > 0) findings.add('mx_is_cname', `${host} is an alias of ${aliases[0]?.value}.`);
  if (found === 0 && !isFailed) findings.add('mx_no_address', `It is ${host}.`);
  return [...aliases, ...rows];
}

/** The addresses of a host that may be shown, each with its names, and the total number. */
async function readAddresses(check: Check, host: string) {
  const { dns, findings } = check;
  const [four, six] = await Promise.all([dns.a(host), dns.aaaa(host)]);
  const found = [...rowsOf('A', host, four), ...rowsOf('AAAA', host, six)];
  const failed = [four, six].find((response) => response.kind === 'failed');
  if (failed !== undefined) findings.add('mx_could_not_check', `${host}: ${failed.reason}.`);
  const rows = await Promise.all(found.slice(0, MAX_ADDRESSES).map((each) => readAddress(check, host, each)));
  return { rows: rows.flat(), found: found.length, isFailed: failed !== undefined };
}

async function readAddress(check: Check, host: string, record: Row): Promise<readonly Row[]> {
  const refused = refuseAddress(record.value, { allowLoopback: false });
  if (refused === null) return [record, ...(await readNames(check, host, record.value))];
  const words = check.isPublicOnly ? 'not a public address' : `${record.value} ${refused}`;
  check.findings.add('mx_private_address', `${host}: ${words}.`);
  return check.isPublicOnly ? [] : [record];
}

async function readNames({ dns, findings }: Check, host: string, address: string): Promise<readonly Row[]> {
  const response = await dns.ptr(address);
  if (response.kind === 'failed') findings.add('mx_could_not_check', `PTR of ${address}: ${response.reason}.`);
  if (response.kind === 'no-name' || response.kind === 'no-record') findings.add('mx_no_ptr', `${host}: ${address}.`);
  if (response.kind !== 'found') return [];
  const names = response.values.slice(0, MAX_NAMES);
  const leads = await Promise.all(names.map((name) => leadsTo(dns, name, address)));
  if (leads.every((lead) => lead === false)) {
    findings.add('mx_ptr_mismatch', `${address} has the name ${names.join(', ')}, which does not match.`);
  }
  return names.map((name) => row('PTR', address, name));
}

/** Null if unknown. */
async function leadsTo(dns: DnsResolver, name: string, address: string): Promise<boolean | null> {
  const response = await (isIP(address) === 6 ? dns.aaaa(name) : dns.a(name));
  if (response.kind === 'failed') return null;
  return response.kind === 'found' && response.values.some((value) => isSame(value, address));
}

function isSame(a: string, b: string): boolean {
  if (!ipaddr.isValid(a) || !ipaddr.isValid(b)) return a === b;
  return ipaddr.process(a).toNormalizedString() === ipaddr.process(b).toNormalizedString();
}

function rowsOf(type: 'A' | 'AAAA', name: string, response: DnsResult<string>): readonly Row[] {
  return response.kind === 'found' ? response.values.map((value) => row(type, name, value)) : [];
}

function row(type: Row['type'], name: string, value: string): Row {
  return { type, name, value, priority: null };
}

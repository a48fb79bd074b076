import type { FindingCode } from '@postrider/core';
import type { DnsResolver } from '../dns/dns-resolver.ts';
import { RECORD_CHARACTERS } from './check-spf.ts';
import { type DmarcRecord, isDmarcRecord, readDmarcRecord } from './dmarc-record.ts';
import { createFindings, excerpt, type Findings } from './findings.ts';
import { organizationalDomain } from './organizational-domain.ts';

type Found = Findings<FindingCode<'dmarc'>>;

interface Row {
  readonly type: 'TXT';
  readonly name: string;
  readonly value: string | null;
  readonly purpose: 'policy' | 'report_authorization';
}

/** Checks the DMARC policy that applies to a domain. Never throws. */
export async function checkDmarc(dns: DnsResolver, domain: string) {
  const findings = createFindings('dmarc');
  const records: Row[] = [];
  const policy = await findPolicy(dns, domain, records, findings);
  if (policy !== null) {
    const record = readDmarcRecord(policy.text);
    judge(record, findings);
    const rows = record.reportDomains.map((target) => checkAuthorization(dns, policy.domain, target, findings));
    records.push(...(await Promise.all(rows)).flat());
  }
  return { records, findings: findings.list() };
}

/** RFC 7489 §6.6.3: the record at the name, else the one at its organizational domain. */
async function findPolicy(dns: DnsResolver, domain: string, records: Row[], findings: Found) {
  const organization = organizationalDomain(domain);
  for (const place of new Set([domain, organization])) {
    const name = `_dmarc.${place}`;
    const response = await dns.txt(name);
    if (response.kind === 'failed') {
      findings.add('dmarc_could_not_check', `${name}: ${response.reason}.`);
      records.push({ type: 'TXT', name, value: null, purpose: 'policy' });
      return null;
    }
    const texts = response.kind === 'found' ? response.values.filter(isDmarcRecord) : [];
    const [text] = texts;
    for (const each of texts.length === 0 ? [null] : texts.slice(0, 10)) {
      const value = each === null ? null : excerpt(each, RECORD_CHARACTERS);
      records.push({ type: 'TXT', name, value, purpose: 'policy' });
    }
    if (texts.length > 1) {
      findings.add('dmarc_several_records', `They are at ${name}.`);
      return null;
    }
    if (text === undefined) continue;
    if (place !== domain) findings.add('dmarc_inherited', `It is at ${name}.`);
    return { domain: place, text };
  }
  findings.add('dmarc_missing');
  return null;
}

const MODES: Readonly<Record<string, string>> = { r: 'relaxed', s: 'strict' };

function judge({ policy, alignment, faults }: DmarcRecord, findings: Found): void {
  for (const { code, particulars } of faults) findings.add(code, particulars);
  if (findings.has('dmarc_syntax_error')) return;
  findings.add('dmarc_alignment', `DKIM: ${MODES[alignment.dkim]}. SPF: ${MODES[alignment.spf]}.`);
  const isReadable = !findings.has('dmarc_policy_missing') && !findings.has('dmarc_policy_invalid');
  if (isReadable) findings.add('dmarc_valid', `The policy is \`${policy}\`.`);
}

/** RFC 7489 §7.1: another organization must agree to receive reports. Otherwise a domain could have someone else flooded with them. */
async function checkAuthorization(
  dns: DnsResolver,
  domain: string,
  target: string,
  findings: Found,
): Promise<readonly Row[]> {
  if (organizationalDomain(target) === organizationalDomain(domain)) return [];
  const name = `${domain}._report._dmarc.${target}`;
  const response = await dns.txt(name);
  const text = response.kind === 'found' ? response.values.find(isDmarcRecord) : undefined;
  const value = text === undefined ? null : excerpt(text, RECORD_CHARACTERS);
  if (response.kind === 'failed') findings.add('dmarc_could_not_check', `${name}: ${response.reason}.`);
  else if (text === undefined) findings.add('dmarc_report_not_authorized', `The name is ${name}.`);
  return [{ type: 'TXT', name, value, purpose: 'report_authorization' }];
}

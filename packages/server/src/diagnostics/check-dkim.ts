import type { FindingCode } from '@postrider/core';
import type { DnsResolver, DnsResult } from '../dns/dns-resolver.ts';
import { RECORD_CHARACTERS } from './check-spf.ts';
import { type DkimRecord, pickKeyRecords, readDkimRecord } from './dkim-record.ts';
import { createFindings, excerpt, type Findings } from './findings.ts';

type Found = Findings<FindingCode<'dkim'>>;

/** The default selectors of large providers and common mail servers. */
const COMMON_SELECTORS: readonly string[] = (
  'postrider default dkim mail email smtp google selector1 selector2 s1 s2 k1 k2 k3 key1 key2 fm1 fm2 fm3 pm mandrill mailjet ' +
  'zoho zmail protonmail protonmail2 protonmail3 sig1 mx resend mailo cm everlytickey1 mte1 dk sm'
).split(' ');

/** No key has this name: a response for it comes from a wildcard record. */
const UNUSED_SELECTOR = 'no-such-selector-here';

interface Row {
  readonly selector: string;
  readonly name: string;
  readonly text: string;
  readonly record: DkimRecord;
}

/** Checks the key of a selector, or the keys of the common selectors if it is null. Never throws. */
export async function checkDkim(dns: DnsResolver, domain: string, selector: string | null) {
  const findings = createFindings('dkim');
  const rows =
    selector === null
      ? await tryCommonOnes(dns, domain, findings)
      : readSelector(selector, domain, await dns.txt(nameOf(selector, domain)), findings);
  for (const row of rows) judge(row, selector !== null, findings);
  return { records: rows.map(toRecord), findings: findings.list() };
}

function nameOf(selector: string, domain: string): string {
  return `${selector}._domainkey.${domain}`;
}

function readSelector(selector: string, domain: string, response: DnsResult<string>, findings: Found): readonly Row[] {
  const name = nameOf(selector, domain);
  if (response.kind === 'failed') findings.add('dkim_could_not_check', `${name}: ${response.reason}.`);
  else if (response.kind !== 'found') findings.add('dkim_missing', `Nothing is at ${name}.`);
  else return rowsOf(selector, domain, response.values, findings);
  return [];
}

const MAX_ROWS = 10;

function rowsOf(selector: string, domain: string, texts: readonly string[], findings: Found): readonly Row[] {
  const name = nameOf(selector, domain);
  const rows = texts.map((text) => ({ selector, name, text, record: readDkimRecord(text) }));
  const keys = pickKeyRecords(rows);
  if (keys.length > 1) findings.add('dkim_several_records', `They are at ${name}.`);
  return (keys.length === 0 ? rows : keys).slice(0, MAX_ROWS);
}

async function tryCommonOnes(dns: DnsResolver, domain: string, findings: Found): Promise<readonly Row[]> {
  findings.add('dkim_selectors_tried', `They are ${COMMON_SELECTORS.join(', ')}.`);
  const [wild, ...responses] = await Promise.all(
    [UNUSED_SELECTOR, ...COMMON_SELECTORS].map((selector) => dns.txt(nameOf(selector, domain))),
  );
  const everywhere = wild?.kind === 'found' ? wild.values : [];
  if (everywhere.length > 0) findings.add('dkim_wildcard', `It is \`${excerpt(everywhere[0] ?? '', 100)}\`.`);
  const rows = COMMON_SELECTORS.flatMap((selector, at) => {
    const response = responses[at];
    // A wildcard may return anything, so only text that looks like a key counts.
    const texts = response?.kind === 'found' ? response.values.filter((text) => !everywhere.includes(text)) : [];
    const keys = texts.filter((text) => /(?:^|;)\s*(?:p\s*=|v\s*=\s*DKIM1)/.test(text));
    return keys.length === 0 ? [] : rowsOf(selector, domain, keys, findings);
  });
  const failed = responses.filter((response) => response.kind === 'failed');
  // If no selector gave a response, nothing is known about any of them.
  const hasResponse = failed.length < responses.length;
  for (const { reason } of failed.slice(0, 1)) {
    findings.add('dkim_could_not_check', `${hasResponse ? 'Some selectors' : 'Every selector'}: ${reason}.`);
  }
  if (hasResponse && !rows.some(({ record }) => !record.isRevoked)) findings.add('dkim_no_common_selector');
  return rows;
}

function judge({ selector, record }: Row, isAskedFor: boolean, findings: Found): void {
  const { faults, isRevoked, keyType, keyBits } = record;
  for (const { code, particulars } of faults) findings.add(code, `${selector}: ${particulars ?? 'see the record.'}`);
  if (isRevoked) findings.add(isAskedFor ? 'dkim_revoked' : 'dkim_retired_key', `The selector is ${selector}.`);
  const isUsable = keyBits !== null && faults.every(({ code }) => WORKS.has(code));
  if (isUsable) findings.add('dkim_valid', `${selector}: ${keyType}, ${keyBits} bits.`);
}

const WORKS = new Set<FindingCode<'dkim'>>(['dkim_key_short', 'dkim_key_too_long', 'dkim_testing']);

function toRecord({ selector, name, text, record: { keyType, keyBits } }: Row) {
  return { type: 'TXT' as const, name, value: excerpt(text, RECORD_CHARACTERS), selector, keyType, keyBits };
}

import { type DmarcFault, isDmarcRecord, readDmarcRecord } from '../diagnostics/dmarc-record.ts';
import type { DnsResult } from '../dns/dns-resolver.ts';
import { fail, judgeAbsence, pass, type RecordVerdict, unknown } from './record-verdict.ts';

/** A name and the DNS response for its TXT records. */
export interface DmarcLookup {
  readonly host: string;
  readonly response: DnsResult<string>;
}

const ADVICE = 'Publish one, so that receivers know what to do with forged mail.';

/**
 * Whether receivers find a DMARC policy for the domain (RFC 7489 §6.6.3): its own, or that of its organizational domain.
 * @param own the response at `_dmarc.<domain>`
 * @param organization the response at `_dmarc.<organizational domain>`; null if that is the domain itself
 */
export function checkDmarcRecord(own: DmarcLookup, organization: DmarcLookup | null): RecordVerdict {
  const verdict = judgePolicy(own);
  if (verdict !== null) return verdict;
  const absent = judgeAbsence(own.response, 'TXT', own.host);
  if (absent?.status === 'pending') return absent;
  const found = own.response.kind === 'found' ? own.response.values : [];
  const above = organization === null ? null : judgePolicy(organization);
  if (above?.status === 'pass') {
    return pass(
      above.found,
      `The policy of ${organization?.host.slice('_dmarc.'.length)} applies, because the domain does not have its own.`,
    );
  }
  if (organization?.response.kind === 'failed') {
    return unknown(
      `There is no DMARC record at ${own.host}, and the DNS lookup of ${organization.host} failed.`,
      found,
    );
  }
  if (found.length > 0) return fail(`The TXT record at ${own.host} is not a DMARC policy. ${ADVICE}`, found);
  return fail(`There is no DMARC record at ${own.host}. ${ADVICE}`);
}

/** Judges the DMARC records: there must be exactly one, with a valid policy. Null if there is none. */
function judgePolicy({ host, response }: DmarcLookup): RecordVerdict | null {
  if (response.kind !== 'found') return null;
  const policies = response.values.filter(isDmarcRecord);
  const [policy] = policies;
  if (policy === undefined) return null;
  if (policies.length > 1) {
    return fail(`There are ${policies.length} DMARC records at ${host}, so receivers ignore all of them.`, policies);
  }
  const fault = readDmarcRecord(policy).faults.find(isFatal);
  return fault === undefined ? pass(policies) : fail(describe(fault), policies);
}

const FATAL = new Set<DmarcFault['code']>(['dmarc_syntax_error', 'dmarc_policy_missing', 'dmarc_policy_invalid']);

/** RFC 7489 §6.6.3: faults that leave receivers without a policy. Faults in other tags are ignored. */
function isFatal({ code, tag }: DmarcFault): boolean {
  return FATAL.has(code) || (code === 'dmarc_tag_invalid' && tag === 'sp');
}

function describe({ code, particulars = '' }: DmarcFault): string {
  if (code === 'dmarc_syntax_error') return `The record cannot be read. ${particulars}`;
  const mustBe = 'It must be none, quarantine or reject.';
  if (code === 'dmarc_policy_missing') return `The record has no p= tag. ${mustBe}`;
  return `The record contains no valid policy. ${particulars} ${mustBe}`;
}

import { type FindingCode, parseMailbox } from '@postrider/core';
import { readTagList, type Tag, tagValue } from './tag-list.ts';

export interface DmarcFault {
  readonly code: FindingCode<'dmarc'>;
  /** The tag whose value is wrong, in lowercase. */
  readonly tag?: string;
  readonly particulars?: string;
}

export interface DmarcRecord {
  /** The policy, if it can be parsed. */
  readonly policy: string | null;
  readonly alignment: { readonly dkim: string; readonly spf: string };
  /** Domains that receive reports. */
  readonly reportDomains: readonly string[];
  readonly faults: readonly DmarcFault[];
}

/** RFC 7489 §6.6.3: a record that does not start with the version is of another kind. The match is case-sensitive (§6.3). */
export function isDmarcRecord(text: string): boolean {
  return /^\s*v\s*=\s*DMARC1\s*(?:;|$)/.test(text);
}

const POLICIES = ['none', 'quarantine', 'reject'];
/** RFC 7489 §6.3, and the additions of RFC 9989. */
const VALUES: Readonly<Record<string, RegExp>> = {
  sp: /^(?:none|quarantine|reject)$/i,
  np: /^(?:none|quarantine|reject)$/i,
  adkim: /^[rs]$/i,
  aspf: /^[rs]$/i,
  pct: /^(?:100|\d{1,2})$/,
  ri: /^\d{1,10}$/,
  rf: /^afrf(?:\s*:\s*afrf)*$/i,
  fo: /^[01ds](?:\s*:\s*[01ds])*$/i,
  t: /^[yn]$/i,
  psd: /^[ynu]$/i,
};
const OTHERS = new Set(['v', 'p', 'rua', 'ruf']);

/** Parses a policy record; pure. */
export function readDmarcRecord(text: string): DmarcRecord {
  const list = readTagList(text);
  if (!list.ok) {
    const faults: DmarcFault[] = [{ code: 'dmarc_syntax_error', particulars: list.reason }];
    return { policy: null, alignment: { dkim: 'r', spf: 'r' }, reportDomains: [], faults };
  }
  const tag = (name: string) => tagValue(list.tags, name)?.toLowerCase() ?? null;
  const reports = ['rua', 'ruf'].map((name) => readAddresses(name, tagValue(list.tags, name)));
  return {
    policy: tag('p'),
    alignment: { dkim: tag('adkim') === 's' ? 's' : 'r', spf: tag('aspf') === 's' ? 's' : 'r' },
    reportDomains: [...new Set(reports.flatMap(({ domains }) => domains))],
    faults: [
      ...faultsOfPolicy(tag),
      ...list.tags.flatMap(faultsOfTag),
      ...(tag('rua') === null ? [{ code: 'dmarc_no_reports' as const }] : []),
      ...reports.flatMap(({ faults }) => faults),
    ],
  };
}

type ReadTag = (name: string) => string | null;

function faultsOfPolicy(tag: ReadTag): readonly DmarcFault[] {
  const faults: DmarcFault[] = [];
  const policy = tag('p');
  if (policy === null) faults.push({ code: 'dmarc_policy_missing' });
  else if (!POLICIES.includes(policy))
    faults.push({ code: 'dmarc_policy_invalid', particulars: `It is \`p=${policy}\`.` });
  if (policy === 'none') faults.push({ code: 'dmarc_policy_none' });
  else if (tag('sp') === 'none') faults.push({ code: 'dmarc_subdomain_policy_none' });
  const share = tag('pct') ?? '100';
  if (VALUES['pct']?.test(share) && Number(share) < 100) {
    faults.push({ code: 'dmarc_pct_partial', particulars: `It applies to ${Number(share)} of 100.` });
  }
  if (tag('t') === 'y') faults.push({ code: 'dmarc_testing' });
  return faults;
}

function faultsOfTag({ name, value }: Tag): readonly DmarcFault[] {
  const folded = name.toLowerCase();
  const particulars = `It is \`${name}=${value.slice(0, 100)}\`.`;
  if (Object.hasOwn(VALUES, folded))
    return VALUES[folded]?.test(value) ? [] : [{ code: 'dmarc_tag_invalid', tag: folded, particulars }];
  return OTHERS.has(folded) ? [] : [{ code: 'dmarc_unknown_tag', particulars }];
}

interface Addresses {
  readonly domains: readonly string[];
  readonly faults: readonly DmarcFault[];
}

/** More would be pointless: receivers need not send to more than two (RFC 7489 §6.2). */
const MAX_ADDRESSES = 10;

function readAddresses(tag: string, value: string | null): Addresses {
  if (value === null) return { domains: [], faults: [] };
  const uris = value.split(',').slice(0, MAX_ADDRESSES);
  const domains = uris.map(domainOf);
  const wrong = uris.filter((_, at) => domains[at] === null);
  return {
    domains: domains.filter((domain) => domain !== null),
    faults: wrong.map((uri) => ({
      code: 'dmarc_report_address_invalid',
      particulars: `It is \`${uri.trim().slice(0, 100)}\` in \`${tag}\`.`,
    })),
  };
}

/** `!10m` after an address limits the size of reports. */
function domainOf(uri: string): string | null {
  const [, address] = /^mailto:([^!?]+)(?:\?[^!]*)?(?:!\d+[kmgt]?)?$/i.exec(uri.trim()) ?? [];
  if (address === undefined) return null;
  const mailbox = parseMailbox(decodePercent(address));
  return mailbox.ok ? mailbox.mailbox.domain : null;
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

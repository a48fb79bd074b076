import type { FindingCode } from '@postrider/core';
import type { DnsResolver } from '../../dns/dns-resolver.ts';
import { refuseAddress } from '../../outbound/public-address.ts';
import { excerpt, type Findings } from '../findings.ts';
import { loadMailauth } from '../load-mailauth.ts';
import { toMailauthResolver } from '../mailauth-resolver.ts';
import { organizationalDomain } from '../organizational-domain.ts';
import { type PlacedMessage, valuesOf } from './placed-message.ts';
import type { PlacementRecord } from './placement-record.ts';
import { sendingAddressOf } from './sending-address.ts';

type Found = Findings<FindingCode<'inbox-placement'>>;

/** The result of a verifier. */
interface Verdict {
  readonly result: string;
  readonly comment: string | null;
}

interface Signature extends Verdict {
  readonly domain: string;
  readonly selector: string;
}

interface SpfVerdict extends Verdict {
  readonly domain: string;
  readonly address: string;
  /** Where the domain is from. A receiver uses the envelope's, which only Return-Path shows (RFC 5321 §4.4). */
  readonly source: 'Return-Path' | 'From';
}

interface Authentication {
  /** Null without a sending address. */
  readonly spf: SpfVerdict | null;
  readonly signatures: readonly Signature[];
  /** Null if From does not contain exactly one domain. */
  readonly dmarc: (Verdict & { readonly domain: string }) | null;
}

/** Header parsing is quadratic in places; no legitimate header is this long. */
const FIELD_CHARACTERS = 10_000;

/** Verifies SPF, DKIM and DMARC of a whole message. Returns the address that sent it, if known. */
export async function authenticateMessage(
  dns: DnsResolver,
  message: PlacedMessage,
  ip: string | null,
  records: PlacementRecord[],
  findings: Found,
): Promise<string | null> {
  if (message.raw === null) {
    findings.add('inbox_auth_not_checked');
    return null;
  }
  if ((message.fields ?? []).some(({ size }) => size > FIELD_CHARACTERS)) {
    findings.add('inbox_auth_could_not_check', `A header is longer than ${FIELD_CHARACTERS} characters.`);
    return null;
  }
  const address = ip ?? sendingAddressOf(message.fields ?? []);
  const isKnown = address !== null && refuseAddress(address, { allowLoopback: false }) === null;
  const verdict = await verify(dns, message, message.raw, isKnown ? address : null).catch(() => null);
  if (verdict === null) {
    findings.add('inbox_auth_could_not_check', 'The message cannot be parsed.');
    return null;
  }
  records.push(...recordsOf(verdict));
  const domain = message.from?.domain ?? null;
  judgeSpf(verdict, domain, findings);
  judgeDkim(verdict, domain, findings);
  judgeDmarc(verdict, findings);
  return verdict.spf?.address ?? null;
}

async function verify(
  dns: DnsResolver,
  message: PlacedMessage,
  raw: Buffer,
  ip: string | null,
): Promise<Authentication> {
  const { authenticate } = await loadMailauth();
  const sender = /<([^<>\s@]+@[^<>\s]+)>/.exec(valuesOf(message.fields ?? [], 'return-path')[0] ?? '')?.[1];
  const { spf, dkim, dmarc } = await authenticate(raw, {
    ...(ip === null ? {} : { ip }),
    sender: sender ?? message.from?.address ?? '',
    mta: 'postrider',
    resolver: toMailauthResolver(dns),
    disableArc: true,
    disableBimi: true,
  });
  return {
    spf:
      spf === false || ip === null
        ? null
        : {
            ...verdictOf(spf.status),
            domain: String(spf.domain ?? ''),
            address: ip,
            source: sender === undefined ? 'From' : 'Return-Path',
          },
    signatures: dkim.results
      .filter(({ status }) => status.result !== 'none')
      .map(({ status, signingDomain = '', selector = '' }) => ({
        ...verdictOf(status),
        domain: signingDomain,
        selector,
      })),
    dmarc: dmarc ? { ...verdictOf(dmarc.status), domain: String(dmarc.domain ?? '') } : null,
  };
}

function verdictOf({ result, comment }: { readonly result: string; readonly comment?: unknown }): Verdict {
  return { result, comment: typeof comment === 'string' ? excerpt(comment, 200) : null };
}

function recordsOf({ spf, signatures, dmarc }: Authentication): readonly PlacementRecord[] {
  const row = (type: PlacementRecord['type'], name: string, { result, comment }: Verdict): PlacementRecord => ({
    type,
    name: excerpt(name, 300),
    value: result,
    detail: comment,
  });
  return [
    ...(spf === null ? [] : [row('SPF', spf.domain, spf)]),
    ...signatures.slice(0, 20).map((each) => row('DKIM', `${each.selector}._domainkey.${each.domain}`, each)),
    ...(dmarc === null ? [] : [row('DMARC', dmarc.domain, dmarc)]),
  ];
}

/** Relaxed alignment (RFC 7489 §3.1), which applies unless the record requires strict. */
function isAligned(domain: string, from: string | null): boolean {
  return from !== null && organizationalDomain(domain.toLowerCase()) === organizationalDomain(from);
}

function judgeSpf({ spf }: Authentication, from: string | null, findings: Found): void {
  if (spf === null) {
    findings.add('inbox_spf_not_checked');
    return;
  }
  const source = spf.source === 'From' ? 'From, because there is no Return-Path with an address' : spf.source;
  const particulars = `${spf.address}, ${spf.domain} (of ${source}): ${spf.result}.`;
  switch (spf.result) {
    case 'pass':
      if (!isAligned(spf.domain, from)) findings.add('inbox_spf_not_aligned', `It passes for ${spf.domain}.`);
      break;
    case 'fail':
    case 'softfail':
      findings.add('inbox_spf_fail', particulars);
      break;
    case 'permerror':
      findings.add('inbox_spf_error', particulars);
      break;
    case 'temperror':
      findings.add('inbox_auth_could_not_check', `SPF of ${spf.domain}.`);
      break;
    default:
      findings.add('inbox_spf_missing', particulars);
  }
}

/** A second, broken signature does no harm if another one is valid. */
function judgeDkim({ signatures }: Authentication, from: string | null, findings: Found): void {
  if (signatures.length === 0) findings.add('inbox_dkim_missing');
  const passing = signatures.filter(({ result }) => result === 'pass');
  if (passing.some(({ domain }) => isAligned(domain, from))) return;
  for (const { domain } of passing) findings.add('inbox_dkim_not_aligned', `It is signed for ${domain}.`);
  for (const { domain, selector, result, comment } of signatures) {
    if (result === 'pass') continue;
    const particulars = `${selector}._domainkey.${domain}: ${comment ?? result}.`;
    findings.add(result === 'temperror' ? 'inbox_auth_could_not_check' : 'inbox_dkim_fail', particulars);
  }
}

function judgeDmarc({ dmarc }: Authentication, findings: Found): void {
  if (dmarc === null) return;
  if (dmarc.result === 'pass') findings.add('inbox_authenticated', `The domain is ${dmarc.domain}.`);
  else if (dmarc.result === 'none') findings.add('inbox_dmarc_missing', `The domain is ${dmarc.domain}.`);
  else if (dmarc.result === 'temperror') findings.add('inbox_auth_could_not_check', `DMARC of ${dmarc.domain}.`);
  else findings.add('inbox_dmarc_fail', `The domain is ${dmarc.domain}.`);
}

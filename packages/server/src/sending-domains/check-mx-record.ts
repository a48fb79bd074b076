import type { DnsResult, MxRecord } from '../dns/dns-resolver.ts';
import { fail, judgeAbsence, pass, type RecordVerdict, unknown } from './record-verdict.ts';

/** DNS responses about an exchange with a name other than ours. */
export interface ExchangeFacts {
  readonly cname: DnsResult<string>;
  readonly addresses: DnsResult<string>;
  /** The addresses of our own host. */
  readonly ownAddresses: DnsResult<string>;
}

export type MxJudgment =
  | { readonly kind: 'decided'; readonly verdict: RecordVerdict }
  /** Mail is sent to a host with another name, which may still be ours. */
  | { readonly kind: 'other-name'; readonly exchange: string; readonly found: readonly string[] };

/**
 * Whether bounces to the return path reach our host.
 * @param ownHost the public name of this installation, in lower case
 */
export function checkMxRecord(host: string, ownHost: string, response: DnsResult<MxRecord>): MxJudgment {
  const decided = (verdict: RecordVerdict): MxJudgment => ({ kind: 'decided', verdict });
  if (response.kind !== 'found') return decided(judgeAbsence(response, 'MX', host) ?? fail(''));
  const records = response.values.toSorted((a, b) => a.priority - b.priority);
  const found = records.map(({ priority, exchange }) => `${priority} ${exchange === '' ? '.' : exchange}`);
  const first = records.filter(({ priority }) => priority === records[0]?.priority);
  const names = [...new Set(first.map(({ exchange }) => exchange))];
  if (names.includes('')) return decided(fail(`${host} does not accept mail (a null MX, RFC 7505).`, found));
  if (names.includes(ownHost)) {
    return decided(
      names.length === 1
        ? pass(found)
        : fail(
            `${names.length} hosts share the lowest preference, so some bounces are sent elsewhere. Only ${ownHost} may have it.`,
            found,
          ),
    );
  }
  if (records.some(({ exchange }) => exchange === ownHost)) {
    return decided(
      fail(`Bounces are sent to ${names.join(', ')} first: the preference is lower than that of ${ownHost}.`, found),
    );
  }
  const [exchange] = names;
  if (names.length !== 1 || exchange === undefined) {
    return decided(fail(`Bounces are sent to ${names.join(', ')} instead of ${ownHost}.`, found));
  }
  return { kind: 'other-name', exchange, found };
}

/** The verdict on an exchange with another name, which may be an alias of our host or the same machine. */
export function judgeOtherExchange(
  exchange: string,
  ownHost: string,
  found: readonly string[],
  { cname, addresses, ownAddresses }: ExchangeFacts,
): RecordVerdict {
  if (cname.kind === 'found' && cname.values.includes(ownHost)) {
    // RFC 5321 §5.1 and RFC 2181 §10.3 forbid an alias here, but nearly every sender follows it.
    return pass(found, `${exchange} is an alias (CNAME) of ${ownHost}; an MX record should name the host itself.`);
  }
  if (cname.kind === 'failed' || addresses.kind === 'failed' || ownAddresses.kind === 'failed') {
    return unknown(`The lookup that shows whether ${exchange} is another name of ${ownHost} failed.`, found);
  }
  const own = new Set(ownAddresses.kind === 'found' ? ownAddresses.values : []);
  if (addresses.kind === 'found' && addresses.values.every((address) => own.has(address))) {
    return pass(
      found,
      `${exchange} has the address of ${ownHost}. Use ${ownHost} itself, so that the address can change.`,
    );
  }
  return fail(`Bounces are sent to ${exchange} instead of ${ownHost}.`, found);
}

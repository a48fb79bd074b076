import { effectiveTerms, isSpfRecord, readSpfRecord, type SpfTerm } from '../diagnostics/spf-record.ts';
import type { DnsResult } from '../dns/dns-resolver.ts';
import { fail, judgeAbsence, pass, type RecordVerdict, unknown } from './record-verdict.ts';

/** The result of an SPF evaluation (RFC 7208) for one address. */
export interface SpfEvaluation {
  readonly address: string;
  readonly result: string;
  readonly comment: string;
}

/** A readable record. Only an evaluation gives its result, because terms before ours may decide otherwise, or exceed the limits. */
export interface ReadableSpf {
  readonly kind: 'evaluate';
  readonly found: readonly string[];
  readonly warning: string | null;
  /** Whether one of its terms is the mechanism that we show. */
  readonly namesUs: boolean;
}

export type SpfJudgment = { readonly kind: 'decided'; readonly verdict: RecordVerdict } | ReadableSpf;

/**
 * Reads the SPF record of the return path, without further DNS queries.
 * @param mechanism the mechanism that names us: `a:mail.example.com`, `ip4:192.0.2.1`
 */
export function checkSpfRecord(host: string, mechanism: string, response: DnsResult<string>): SpfJudgment {
  const decided = (verdict: RecordVerdict): SpfJudgment => ({ kind: 'decided', verdict });
  if (response.kind !== 'found') return decided(judgeAbsence(response, 'TXT', host) ?? fail(''));
  const found = response.values.filter(isSpfRecord);
  const [text] = found;
  if (text === undefined) {
    return decided(
      fail(`There is no SPF record at ${host}: none of its TXT records begins with v=spf1.`, response.values),
    );
  }
  if (found.length > 1) {
    return decided(
      fail(`There are ${found.length} SPF records at ${host}, so receivers ignore all of them (RFC 7208 §4.5).`, found),
    );
  }
  const record = readSpfRecord(text);
  const [fault] = record.faults;
  if (fault !== undefined) {
    return decided(
      fail(`"${fault.term}" ${fault.reason}, which makes the whole record invalid (RFC 7208 §4.6).`, found),
    );
  }
  const allowing = effectiveTerms(record).filter(({ qualifier, isModifier }) => qualifier === '+' && !isModifier);
  const warning = allowing.some(({ name }) => name === 'all') ? OPEN_TO_ALL : null;
  return { kind: 'evaluate', found, warning, namesUs: allowing.some((term) => textOf(term) === mechanism) };
}

const OPEN_TO_ALL = 'The record ends in +all, which lets anyone send as this domain. Use ~all or -all.';

function textOf({ text }: SpfTerm): string {
  return text.replace(/^\+/, '').toLowerCase();
}

/**
 * The verdict on the evaluations, one for each address that mail may be sent from.
 * @param own the name or address that this installation uses
 */
export function judgeSpfEvaluations(
  own: string,
  { found, warning, namesUs }: ReadableSpf,
  evaluations: readonly SpfEvaluation[],
): RecordVerdict {
  if (evaluations.length === 0) return judgeWithoutAddress(own, found, namesUs);
  const temporary = evaluations.find(({ result }) => result === 'temperror');
  if (temporary !== undefined) return unknown(`The record could not be evaluated: ${temporary.comment}`, found);
  const broken = evaluations.find(({ result }) => result === 'permerror');
  if (broken !== undefined) return fail(`The record is invalid (permerror): ${broken.comment}`, found);
  const refused = evaluations.filter(({ result }) => result !== 'pass').map(({ address }) => address);
  if (refused.length === 0) return pass(found, warning);
  const advice = namesUs
    ? 'it names the server, but an earlier term rejects it: put the mechanism shown first'
    : 'add the mechanism shown';
  return fail(`The record does not let ${own} (${refused.join(', ')}) send for this domain; ${advice}.`, found);
}

/** A host without an address is a mistake in the installation's setup, which a domain's owner cannot fix. */
function judgeWithoutAddress(own: string, found: readonly string[], namesUs: boolean): RecordVerdict {
  const advice = `${own} has no address in the DNS, so SPF cannot pass until the operator publishes one.`;
  if (namesUs) return pass(found, advice);
  return fail(`The record does not let ${own} send for this domain; add the mechanism shown.`, found);
}

import { type DkimRecord, pickKeyRecords, readDkimRecord } from '../diagnostics/dkim-record.ts';
import type { DnsAnswer } from '../dns/dns-resolver.ts';
import { fail, judgeAbsence, pass, type RecordVerdict } from './record-verdict.ts';

/** The key whose record is checked. */
export interface ExpectedDkimKey {
  readonly host: string;
  readonly algorithm: 'rsa' | 'ed25519';
  /** The `p=` tag, in base64. */
  readonly publicKey: string;
}

/** Whether a verifier that queries the selector finds our public key (RFC 6376 §3.6.1, RFC 8463). */
export function checkDkimRecord(expected: ExpectedDkimKey, answer: DnsAnswer<string>): RecordVerdict {
  if (answer.kind !== 'found') return judgeAbsence(answer, 'TXT', expected.host) ?? fail('');
  const found = answer.values;
  const keys = pickKeyRecords(found.map((text) => ({ record: readDkimRecord(text) }))).map(({ record }) => record);
  const [key] = keys;
  if (key === undefined) return fail(findEscapes(expected.host, found) ?? withoutKey(expected.host), found);
  if (keys.length > 1) return judgeSeveral(expected, keys, found);
  const fault = findFault(expected, key);
  if (fault !== null) return fail(findEscapes(expected.host, found) ?? fault, found);
  const isTesting = key.faults.some(({ code }) => code === 'dkim_testing');
  return pass(
    found,
    isTesting ? 'The record says t=y (a test): verifiers may take mail as if it were unsigned.' : null,
  );
}

function withoutKey(host: string): string {
  return `The TXT record at ${host} is no DKIM key; if nothing was published there, a wildcard record (*) answers.`;
}

/** Finds the quoting of zone files, which users paste into DNS forms along with the value. */
function findEscapes(host: string, found: readonly string[]): string | null {
  if (!found.some((text) => /\\;|^\s*"/.test(text))) return null;
  return `The TXT record at ${host} holds quotes or backslashes that are no part of the value; publish the value without them.`;
}

/** RFC 6376 §3.6.2.2: if a selector has several keys, verifiers may use any of them. */
function judgeSeveral(expected: ExpectedDkimKey, keys: readonly DkimRecord[], found: readonly string[]): RecordVerdict {
  const ours = keys.some((key) => findFault(expected, key) === null);
  return fail(
    ours
      ? 'Our key is there beside another one at the same selector, and verifiers may take either; remove the other.'
      : `There are ${keys.length} keys at this selector and none is ours; publish ours alone.`,
    found,
  );
}

function findFault({ algorithm, publicKey }: ExpectedDkimKey, key: DkimRecord): string | null {
  const refused = key.faults.flatMap(({ code, particulars = '' }) => REFUSED[code]?.(particulars) ?? []);
  const [first] = refused;
  if (first !== undefined) return first;
  const given = withoutPadding(key.publicKey ?? '');
  const wanted = withoutPadding(publicKey);
  if (given === '') return 'The key is revoked: its p= is empty. Publish the value as it is shown.';
  if (key.keyType !== algorithm) return `The record says k=${key.keyType}, and the key is of the kind ${algorithm}.`;
  if (given === wanted) return null;
  return wanted.startsWith(given)
    ? `The key is cut off after ${given.length} of ${wanted.length} characters; long values are published as several strings of at most 255.`
    : 'The record holds another key. Publish the value as it is shown.';
}

/** Faults that make verifiers ignore a record, whichever key it contains. The key itself is valid if it is ours. */
const REFUSED: Readonly<Partial<Record<DkimRecord['faults'][number]['code'], (particulars: string) => string>>> = {
  dkim_wrong_version: () =>
    'The version is not the first tag, or not DKIM1, and then the record counts for nothing (RFC 6376 §3.6.1).',
  dkim_hash_refused: (told) => `The record does not allow sha256, with which mail is signed. ${told} Leave h= out.`,
  dkim_not_for_email: (told) => `The record is not for mail. ${told} Leave s= out.`,
};

function withoutPadding(base64: string): string {
  let end = base64.length;
  while (base64[end - 1] === '=') end -= 1;
  return base64.slice(0, end);
}

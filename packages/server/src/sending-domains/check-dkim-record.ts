import { type DkimRecord, pickKeyRecords, readDkimRecord } from '../diagnostics/dkim-record.ts';
import type { DnsResult } from '../dns/dns-resolver.ts';
import { fail, judgeAbsence, pass, type RecordVerdict } from './record-verdict.ts';

/** The key whose record is checked. */
export interface ExpectedDkimKey {
  readonly host: string;
  readonly algorithm: 'rsa' | 'ed25519';
  /** The `p=` tag, in base64. */
  readonly publicKey: string;
}

/** Whether a verifier that queries the selector finds our public key (RFC 6376 §3.6.1, RFC 8463). */
export function checkDkimRecord(expected: ExpectedDkimKey, response: DnsResult<string>): RecordVerdict {
  if (response.kind !== 'found') return judgeAbsence(response, 'TXT', expected.host) ?? fail('');
  const found = response.values;
  const keys = pickKeyRecords(found.map((text) => ({ record: readDkimRecord(text) }))).map(({ record }) => record);
  const [key] = keys;
  if (key === undefined) return fail(findEscapes(expected.host, found) ?? withoutKey(expected.host), found);
  if (keys.length > 1) return judgeSeveral(expected, keys, found);
  const fault = findFault(expected, key);
  if (fault !== null) return fail(findEscapes(expected.host, found) ?? fault, found);
  const isTesting = key.faults.some(({ code }) => code === 'dkim_testing');
  return pass(found, isTesting ? 'The record has t=y (testing), so verifiers may treat mail as unsigned.' : null);
}

function withoutKey(host: string): string {
  return `The TXT record at ${host} is not a DKIM key. If you published nothing there, a wildcard record (*) matches.`;
}

/** Finds the quoting of zone files, which users paste into DNS forms along with the value. */
function findEscapes(host: string, found: readonly string[]): string | null {
  if (!found.some((text) => /\\;|^\s*"/.test(text))) return null;
  return `The TXT record at ${host} contains quotes or backslashes that are not part of the value. Publish the value without them.`;
}

/** RFC 6376 §3.6.2.2: if a selector has several keys, verifiers may use any of them. */
function judgeSeveral(expected: ExpectedDkimKey, keys: readonly DkimRecord[], found: readonly string[]): RecordVerdict {
  const ours = keys.some((key) => findFault(expected, key) === null);
  return fail(
    ours
      ? 'Our key and another one are at the same selector, and verifiers may use either. Remove the other one.'
      : `There are ${keys.length} keys at this selector and none is ours. Publish only ours.`,
    found,
  );
}

function findFault({ algorithm, publicKey }: ExpectedDkimKey, key: DkimRecord): string | null {
  const refused = key.faults.flatMap(({ code, particulars = '' }) => REFUSED[code]?.(particulars) ?? []);
  const [first] = refused;
  if (first !== undefined) return first;
  const given = withoutPadding(key.publicKey ?? '');
  const wanted = withoutPadding(publicKey);
  if (given === '') return 'The key is revoked: its p= is empty. Publish the value as shown.';
  if (key.keyType !== algorithm) return `The record has k=${key.keyType}, but the key type is ${algorithm}.`;
  if (given === wanted) return null;
  return wanted.startsWith(given)
    ? `The key is cut off after ${given.length} of ${wanted.length} characters. Publish long values as several strings of at most 255.`
    : 'The record contains another key. Publish the value as shown.';
}

/** Faults that make verifiers ignore a record, whichever key it contains. The key itself is valid if it is ours. */
const REFUSED: Readonly<Partial<Record<DkimRecord['faults'][number]['code'], (particulars: string) => string>>> = {
  dkim_wrong_version: () =>
    'The version is not the first tag, or not DKIM1, so verifiers ignore the record (RFC 6376 §3.6.1).',
  dkim_hash_refused: (particulars) =>
    `The record does not allow sha256, which mail is signed with. ${particulars} Remove h=.`,
  dkim_not_for_email: (particulars) => `The record is not for mail. ${particulars} Remove s=.`,
};

function withoutPadding(base64: string): string {
  let end = base64.length;
  while (base64[end - 1] === '=') end -= 1;
  return base64.slice(0, end);
}

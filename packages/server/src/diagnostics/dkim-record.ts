import { createPublicKey } from 'node:crypto';
import type { FindingCode } from '@postrider/core';
import { readTagList, tagValue } from './tag-list.ts';

/** The problems of a record, with details. */
export interface DkimFault {
  readonly code: FindingCode<'dkim'>;
  readonly particulars?: string;
}

export interface DkimRecord {
  /** The p= tag without white space, empty if the key is revoked; null if it is missing, or the record cannot be parsed. */
  readonly publicKey: string | null;
  /** `rsa`, `ed25519` or another value from the record; null if it cannot be parsed. */
  readonly keyType: string | null;
  readonly keyBits: number | null;
  readonly isRevoked: boolean;
  readonly faults: readonly DkimFault[];
}

/** Parses a key record (RFC 6376 §3.6.1); pure. */
export function readDkimRecord(text: string): DkimRecord {
  const unreadable = { publicKey: null, keyType: null, keyBits: null, isRevoked: false };
  if (text.includes('"')) return { ...unreadable, faults: [{ code: 'dkim_quotes' }] };
  const list = readTagList(text);
  if (!list.ok) return { ...unreadable, faults: [{ code: 'dkim_syntax_error', particulars: list.reason }] };
  const tag = (name: string) => tagValue(list.tags, name);
  const keyType = (tag('k') ?? 'rsa').toLowerCase();
  const faults = faultsOfTags(tag, list.tags[0]?.name);
  const publicKey = tag('p')?.replace(/\s+/g, '') ?? null;
  if (publicKey === null) {
    faults.push({ code: 'dkim_syntax_error', particulars: 'There is no `p` tag.' });
    return { publicKey, keyType, keyBits: null, isRevoked: false, faults };
  }
  if (publicKey === '') return { publicKey, keyType, keyBits: null, isRevoked: true, faults };
  const { keyBits, fault } = readKey(keyType, publicKey);
  return { publicKey, keyType, keyBits, isRevoked: false, faults: fault === null ? faults : [...faults, fault] };
}

/**
 * The TXT records at a selector that are keys; receivers ignore other ones, such as host verifications. If there is
 * none, each record may be a broken key.
 */
export function pickKeyRecords<Entry extends { readonly record: DkimRecord }>(
  entries: readonly Entry[],
): readonly Entry[] {
  return entries.filter(({ record }) => record.publicKey !== null);
}

function faultsOfTags(tag: (name: string) => string | null, first: string | undefined): DkimFault[] {
  const faults: DkimFault[] = [];
  const version = tag('v');
  if (version !== null && (version !== 'DKIM1' || first !== 'v')) faults.push({ code: 'dkim_wrong_version' });
  const hashes = tag('h');
  if (hashes !== null && !wordsOf(hashes).includes('sha256')) {
    faults.push({ code: 'dkim_hash_refused', particulars: `It is \`h=${hashes}\`.` });
  }
  const services = tag('s');
  if (services !== null && !wordsOf(services).some((service) => service === '*' || service === 'email')) {
    faults.push({ code: 'dkim_not_for_email', particulars: `It is \`s=${services}\`.` });
  }
  if (wordsOf(tag('t') ?? '').includes('y')) faults.push({ code: 'dkim_testing' });
  return faults;
}

function wordsOf(value: string): readonly string[] {
  return value.split(':').map((word) => word.trim().toLowerCase());
}

type KeyVerdict = { readonly keyBits: number | null; readonly fault: DkimFault | null };

const UNREADABLE: KeyVerdict = { keyBits: null, fault: { code: 'dkim_key_unreadable' } };

function readKey(keyType: string, base64: string): KeyVerdict {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return UNREADABLE;
  const der = Buffer.from(base64, 'base64');
  if (keyType === 'ed25519') return der.length === 32 ? { keyBits: 256, fault: null } : UNREADABLE; // RFC 8463 §4.2
  if (keyType !== 'rsa') {
    return { keyBits: null, fault: { code: 'dkim_key_type_unknown', particulars: `It is \`k=${keyType}\`.` } };
  }
  const keyBits = rsaBits(der);
  return keyBits === null ? UNREADABLE : { keyBits, fault: faultOfLength(keyBits) };
}

/** RFC 6376 specifies RSAPublicKey but shows SubjectPublicKeyInfo; verifiers accept both (erratum 3017). */
function rsaBits(der: Buffer): number | null {
  for (const type of ['spki', 'pkcs1'] as const) {
    try {
      const key = createPublicKey({ key: der, format: 'der', type });
      if (key.asymmetricKeyType === 'rsa') return key.asymmetricKeyDetails?.modulusLength ?? null;
    } catch {
      // Not in this format.
    }
  }
  return null;
}

function faultOfLength(bits: number): DkimFault | null {
  const particulars = `It has ${bits} bits.`;
  if (bits < 1024) return { code: 'dkim_key_too_short', particulars };
  if (bits < 2048) return { code: 'dkim_key_short', particulars };
  return bits > 4096 ? { code: 'dkim_key_too_long', particulars } : null;
}

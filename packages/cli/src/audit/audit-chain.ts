import { createHash } from 'node:crypto';
import { isRecord, type JsonRecord, textOf } from '../output/json-value.ts';

/** Where and why a chain is broken. */
export interface ChainBreak {
  readonly reason: 'changed' | 'missing' | 'unlinked' | 'forgotten';
  readonly seq: number;
  /** Null if the entry is missing. */
  readonly id: string | null;
  readonly message: string;
}

const NOTHING_BEFORE = '0'.repeat(64);

/** Verifies a chain from its newest entry to its first, in the order of the API. */
export class AuditChain {
  #newer: JsonRecord | null = null;
  /** The lowest break so far, since later entries are older. */
  #broken: ChainBreak | null = null;
  #entries = 0;
  #lastHash: string | null = null;
  #isExpectedSeen = false;
  readonly #accountId: string;
  readonly #expected: string | null;

  /** @param expected a hash that the log must contain, or null. */
  constructor(accountId: string, expected: string | null) {
    this.#accountId = accountId;
    this.#expected = expected;
  }

  /** Checks the next older entry. */
  add(entry: JsonRecord): void {
    const hash = textOf(entry['hash']);
    const newer = this.#newer;
    if (newer !== null) this.#judgeLink(textOf(newer['previousHash']), hash, Number(newer['seq']), entry, newer);
    if (hash !== hashOf(entry, this.#accountId)) {
      const message = `Entry ${textOf(entry['seq'])} does not match its hash.`;
      this.#broken = { ...placeOf(entry), reason: 'changed', message };
    }
    this.#entries += 1;
    this.#lastHash ??= hash;
    this.#isExpectedSeen ||= hash === this.#expected;
    this.#newer = entry;
  }

  /** The verdict, after the last entry. */
  finish(): { readonly entries: number; readonly lastHash: string | null; readonly broken: ChainBreak | null } {
    this.#judgeBeginning();
    if (this.#broken === null && this.#expected !== null && !this.#isExpectedSeen) {
      const seq = this.#entries + 1;
      const message = 'No entry has the expected hash: entries were removed from the end, or the log was rewritten.';
      this.#broken = { reason: 'forgotten', seq, id: null, message };
    }
    return { entries: this.#entries, lastHash: this.#lastHash, broken: this.#broken };
  }

  #judgeLink(previousHash: string, hash: string, newerSeq: number, entry: JsonRecord, newer: JsonRecord): void {
    const seq = Number(entry['seq']);
    if (newerSeq !== seq + 1) {
      const message = `Entry ${seq + 1} is missing: entry ${newerSeq} follows entry ${seq}.`;
      this.#broken = { reason: 'missing', seq: seq + 1, id: null, message };
    } else if (previousHash !== hash) {
      const message = `Entry ${newerSeq} does not link to the previous entry.`;
      this.#broken = { ...placeOf(newer), reason: 'unlinked', message };
    }
  }

  #judgeBeginning(): void {
    const first = this.#newer;
    if (first === null) return;
    const seq = Number(first['seq']);
    if (seq !== 1) {
      const message = `Entry 1 is missing: the log begins with entry ${seq}.`;
      this.#broken = { reason: 'missing', seq: 1, id: null, message };
    } else if (textOf(first['previousHash']) !== NOTHING_BEFORE) {
      this.#broken = {
        ...placeOf(first),
        reason: 'unlinked',
        message: 'Entry 1 links to an entry that does not exist.',
      };
    }
  }
}

function placeOf(entry: JsonRecord): { readonly seq: number; readonly id: string } {
  return { seq: Number(entry['seq']), id: textOf(entry['id']) };
}

/** The same as on the server: one field per line, times in microseconds, details as PostgreSQL prints them. */
function hashOf(entry: JsonRecord, accountId: string): string {
  const text = (name: string) => textOf(entry[name]);
  const createdAt = text('createdAt').replace(/(\.\d{3})Z$/, '$1000Z');
  const lines = [
    ...[text('previousHash'), accountId, text('id'), text('seq'), text('action'), text('actor')],
    ...[entry['targetId'] === null ? '-' : text('targetId'), createdAt, toDatabaseJson(entry['details'])],
  ];
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}

/** PostgreSQL's text of a `jsonb`: names sorted by length and then by bytes, and a space after each colon and comma. */
function toDatabaseJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toDatabaseJson).join(', ')}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const fields = Object.entries(value)
    .map(([name, field]) => ({ bytes: Buffer.from(name), text: `${JSON.stringify(name)}: ${toDatabaseJson(field)}` }))
    .sort((one, other) => one.bytes.length - other.bytes.length || Buffer.compare(one.bytes, other.bytes));
  return `{${fields.map(({ text }) => text).join(', ')}}`;
}

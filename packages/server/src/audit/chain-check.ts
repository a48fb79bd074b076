import { createHash } from 'node:crypto';

/** An entry, with its fields as the text from which its hash is computed. */
export interface ChainedEntry {
  readonly accountId: string;
  readonly id: string;
  readonly seq: string;
  readonly action: string;
  readonly actor: string;
  readonly targetId: string | null;
  readonly createdAt: string;
  readonly details: string;
  readonly hash: string;
  readonly previousHash: string;
}

/** The recorded end of a chain. */
export interface ChainHead {
  readonly seq: string;
  readonly hash: string;
}

/**
 * What breaks a chain. `changed`: a field or hash of the entry differs from what was written. `missing`: the previous entry is gone.
 * `displaced`: the entry is in another's place. `unlinked`: it links to an entry other than the previous one. `cut`: entries at the end
 * are gone. `headless`: the record of the chain's end is gone. `unrecorded`: entries follow the recorded end.
 */
type BreakReason = 'changed' | 'missing' | 'displaced' | 'unlinked' | 'cut' | 'headless' | 'unrecorded';

export interface ChainBreak {
  readonly reason: BreakReason;
  /** The position of the first entry that is wrong or missing. */
  readonly seq: number;
  /** Null if the entry no longer exists. */
  readonly id: string | null;
  readonly message: string;
}

const NOTHING_BEFORE = '0'.repeat(64);

/** Verifies a chain from its first entry: each entry must match its hash and continue the previous one. */
export class ChainCheck {
  #seq = 0;
  #hash = NOTHING_BEFORE;
  #broken: ChainBreak | null = null;
  readonly #head: ChainHead | null;

  constructor(head: ChainHead | null) {
    this.#head = head;
  }

  /** The last verified position. Its hash covers all entries up to there. */
  get end(): { readonly seq: number; readonly hash: string } {
    return { seq: this.#seq, hash: this.#hash };
  }

  /** Checks the next entry. Returns what breaks the chain at or before it; null while the chain is intact. */
  take(entry: ChainedEntry): ChainBreak | null {
    this.#broken ??= this.#judge(entry);
    if (this.#broken !== null) return this.#broken;
    this.#seq += 1;
    this.#hash = entry.hash;
    return null;
  }

  /** Call this after the last entry. */
  finish(): ChainBreak | null {
    return this.#broken ?? this.#judgeEnd();
  }

  #judge(entry: ChainedEntry): ChainBreak | null {
    const [seq, expected] = [Number(entry.seq), this.#seq + 1];
    if (seq > expected) {
      const message = `Entry ${expected} is missing: entry ${seq} follows entry ${expected - 1}.`;
      return { reason: 'missing', seq: expected, id: null, message };
    }
    const at = { seq, id: entry.id };
    if (seq < expected) return { reason: 'displaced', ...at, message: `There is more than one entry ${seq}.` };
    if (entry.hash !== hashOf(entry)) {
      return { reason: 'changed', ...at, message: `Entry ${seq} does not match its hash.` };
    }
    if (entry.previousHash !== this.#hash) {
      return { reason: 'unlinked', ...at, message: `Entry ${seq} does not link to the previous entry.` };
    }
    return null;
  }

  #judgeEnd(): ChainBreak | null {
    const head = this.#head;
    const [seq, id] = [this.#seq, null];
    if (head === null) {
      if (seq === 0) return null;
      return { reason: 'headless', seq, id, message: `The record that the chain ends with entry ${seq} is missing.` };
    }
    const recorded = Number(head.seq);
    if (recorded > seq) {
      const message = `Entry ${seq + 1} is missing, and so are all up to entry ${recorded}, the recorded end of the chain.`;
      return { reason: 'cut', seq: seq + 1, id, message };
    }
    if (recorded < seq) {
      const message = `Entry ${recorded + 1} follows entry ${recorded}, the recorded end of the chain.`;
      return { reason: 'unrecorded', seq: recorded + 1, id, message };
    }
    if (head.hash === this.#hash) return null;
    return {
      reason: 'changed',
      seq,
      id,
      message: `Entry ${seq} is not the recorded end of the chain.`,
    };
  }
}

/** Must match `audit_hash` of migration 0007. */
function hashOf(entry: ChainedEntry): string {
  const { previousHash, accountId, id, seq, action, actor, targetId, createdAt, details } = entry;
  const lines = [previousHash, accountId, id, seq, action, actor, targetId ?? '-', createdAt, details];
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}

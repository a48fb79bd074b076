import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import {
  insertReceiptKey,
  listReceiptKeys,
  lockSigningKey,
  type ReceiptKeyRow,
  retireReceiptKey,
} from '../db/queries/receipts.ts';
import type { SecretBox } from '../keys/secret-box.ts';
import type { IdGenerator } from '../uuid-v7.ts';
import type { ReadClaims, ReceiptClaims } from './receipt-claims.ts';
import {
  makeReceiptKey,
  openReceiptKey,
  type PublicReceiptKey,
  type ReceiptKey,
  sealPublicHalf,
} from './receipt-key.ts';
import { kidOf, openReceipt, signReceipt } from './receipt-token.ts';

export interface ReceiptSigner {
  sign(claims: ReceiptClaims): string;
}

/** Signs and verifies receipts with the keys of the installation. */
export interface Receipts {
  /** Creates the key on first use. */
  signer(): Promise<ReceiptSigner>;
  /**
   * What a receipt states; null if it is not one that this installation signed.
   * @throws if its key may be one that cannot be decrypted now
   */
  read(receipt: string): Promise<ReadClaims | null>;
  /** Every key that signs or signed, the newest first. */
  publicKeys(): Promise<readonly PublicReceiptKey[]>;
}

export interface ReceiptTools {
  /** Sees the whole installation. */
  readonly sql: Sql;
  readonly box: SecretBox;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

/** How long keys are cached. After a rotation, other processes sign with the former key for as long. */
const KEEP_MS = 60_000;
/** Receipts with unknown keys do not make the server read keys more often. */
const READ_AGAIN_MS = 1_000;

export function createReceipts(tools: ReceiptTools): Receipts {
  let kept: { readonly keys: Promise<KeyRing>; readonly at: number } | null = null;

  function load(keepMs: number): Promise<KeyRing> {
    const now = tools.clock.now().getTime();
    if (kept !== null && now - kept.at < keepMs && now >= kept.at) return kept.keys;
    const keys = readKeys(tools);
    const entry = { keys, at: now };
    kept = entry;
    keys.catch(() => {
      if (kept === entry) kept = null;
    });
    return keys;
  }

  async function find(kid: string): Promise<ReceiptKey | null> {
    const isIt = (key: ReceiptKey) => key.kid === kid;
    const known = (await load(KEEP_MS)).keys.find(isIt);
    if (known !== undefined) return known;
    const { keys, unreadable } = await load(READ_AGAIN_MS);
    const found = keys.find(isIt) ?? null;
    if (found === null && unreadable > 0) throw new Error(`${unreadable} keys of receipts cannot be decrypted`);
    return found;
  }

  return {
    async signer() {
      const { keys } = await load(KEEP_MS);
      const { kid, privateKey } = keys.find((key) => key.privateKey !== null) ?? { kid: '', privateKey: null };
      if (privateKey === null) throw new Error('the key that signs receipts cannot be decrypted');
      return { sign: (claims) => signReceipt(kid, privateKey, claims) };
    },
    async read(receipt) {
      const kid = kidOf(receipt);
      const key = kid === null ? null : await find(kid);
      return key === null ? null : openReceipt(receipt, key.publicKey);
    },
    async publicKeys() {
      return (await load(KEEP_MS)).keys.map(({ jwk }) => jwk);
    },
  };
}

interface KeyRing {
  readonly keys: readonly ReceiptKey[];
  /** Keys that no secret key of the installation opens. */
  readonly unreadable: number;
}

async function readKeys({ sql, box, clock, ids }: ReceiptTools): Promise<KeyRing> {
  const found = await listReceiptKeys(sql);
  if (found.some(({ retiredAt }) => retiredAt === null)) return openAll(box, found);
  const now = clock.now();
  await insertReceiptKey(sql, { id: ids.next(now), sealed: makeReceiptKey(box), now });
  return openAll(box, await listReceiptKeys(sql));
}

function openAll(box: SecretBox, rows: readonly ReceiptKeyRow[]): KeyRing {
  const keys = rows.flatMap(({ sealed }) => {
    try {
      return [openReceiptKey(box, sealed)];
    } catch {
      // Counted below: one bad row must not stop the others.
      return [];
    }
  });
  return { keys, unreadable: rows.length - keys.length };
}

/**
 * Replaces the key that signs, and returns the new one. What the former key signed stays valid: its public half is kept, and its private
 * half is deleted.
 */
export async function rotateReceiptKey({ sql, box, clock, ids }: ReceiptTools): Promise<{ readonly kid: string }> {
  const now = clock.now();
  await sql.begin(async (transaction) => {
    const current = await lockSigningKey(transaction);
    if (current !== null) {
      await retireReceiptKey(transaction, { id: current.id, sealed: sealPublicHalf(box, current.sealed), now });
    }
    await insertReceiptKey(transaction, { id: ids.next(now), sealed: makeReceiptKey(box), now });
  });
  // Two rotations at once make one key.
  const current = (await listReceiptKeys(sql)).find(({ retiredAt }) => retiredAt === null);
  if (current === undefined) throw new Error('no key signs receipts');
  return { kid: openReceiptKey(box, current.sealed).kid };
}

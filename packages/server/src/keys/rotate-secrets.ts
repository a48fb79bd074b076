import type { Sql } from '../db/client.ts';
import {
  holdRotationLock,
  readSealedRows,
  replaceEnvelope,
  SEALED_COLUMNS,
  type SealedColumn,
  type SealedKind,
  type SealedRow,
} from '../db/queries/sealed-secrets.ts';
import { createInstallationBox, createSecretBox, type SecretBox, type SecretKeys } from './secret-box.ts';

export interface RotationReport {
  /** Whether a key was created. False if a setting provides the key, or if an earlier rotation was finished instead. */
  readonly newKey: boolean;
  /** How many secrets were sealed again. */
  readonly resealed: Readonly<Record<SealedKind, number>>;
  /** Secrets that no key opens; they stay unchanged. */
  readonly unreadable: readonly { readonly kind: SealedKind; readonly accountId: string; readonly id: string }[];
}

const ROWS_AT_ONCE = 200;

/**
 * Seals all secrets of former keys again with the present key. Each secret is stored as soon as it is sealed, so an interrupted rotation
 * can continue, and servers keep working meanwhile.
 * @param makeKey creates a new present key; null if a setting provides it. If secrets are still under a former key, that earlier rotation
 * is finished first, and no key is created.
 */
export async function rotateSecrets(sql: Sql, keys: SecretKeys, makeKey: (() => void) | null): Promise<RotationReport> {
  return await holdRotationLock(sql, async () => {
    const earlier = await resealAll(sql, keys);
    if (makeKey === null || count(earlier) > 0 || earlier.unreadable.length > 0) return { newKey: false, ...earlier };
    makeKey();
    return { newKey: true, ...(await resealAll(sql, keys)) };
  });
}

type Resealed = Omit<RotationReport, 'newKey'>;

function count({ resealed }: Resealed): number {
  return Object.values(resealed).reduce((sum, one) => sum + one, 0);
}

/** Repeats until nothing is left, because a running server may seal more secrets meanwhile. */
async function resealAll(sql: Sql, keys: SecretKeys): Promise<Resealed> {
  const present = createSecretBox(keys.secretKey());
  const any = createInstallationBox(keys);
  const resealed = { dkimKeys: 0, webhookSecrets: 0, installationMail: 0, receiptKeys: 0 };
  let isSettled: boolean;
  let unreadable: RotationReport['unreadable'][number][];
  do {
    isSettled = true;
    unreadable = [];
    for (const column of SEALED_COLUMNS) {
      for await (const row of sealedRows(sql, column)) {
        if (tryOpen(present, row) !== null) continue;
        const plain = tryOpen(any, row);
        if (plain === null) {
          unreadable.push({ kind: column.kind, accountId: row.accountId, id: row.id });
          continue;
        }
        isSettled = false;
        if (await replaceEnvelope(sql, column, row, present.seal(plain))) resealed[column.kind] += 1;
      }
    }
  } while (!isSettled);
  return { resealed, unreadable };
}

async function* sealedRows(sql: Sql, column: SealedColumn): AsyncGenerator<SealedRow> {
  let rows = await readSealedRows(sql, column, null, ROWS_AT_ONCE);
  for (let last = rows.at(-1); last !== undefined; last = rows.at(-1)) {
    yield* rows;
    rows = await readSealedRows(sql, column, last, ROWS_AT_ONCE);
  }
}

function tryOpen(box: SecretBox, { envelope }: SealedRow): string | null {
  try {
    return box.open(envelope);
  } catch {
    return null;
  }
}

import type { Sql } from '../db/client.ts';
import { readChain, readChainedAccounts } from '../db/queries/audit-chain.ts';
import { type ChainBreak, ChainCheck } from './chain-check.ts';

export interface ChainReport {
  readonly accountId: string;
  readonly ok: boolean;
  /** The number of intact entries, from the first one on. */
  readonly entries: number;
  /**
   * The hash of the last intact entry, which covers all of them. A copy kept elsewhere reveals later whether the whole chain was rewritten.
   */
  readonly lastHash: string | null;
  readonly broken: ChainBreak | null;
}

/** Recomputes the chains of all accounts, or of one, each up to its first broken entry. */
export async function verifyChains(sql: Sql, accountId: string | null): Promise<readonly ChainReport[]> {
  const reports: ChainReport[] = [];
  for (const id of accountId === null ? await readChainedAccounts(sql) : [accountId]) {
    reports.push(await verifyChain(sql, id));
  }
  return reports;
}

async function verifyChain(sql: Sql, accountId: string): Promise<ChainReport> {
  return await readChain(sql, accountId, async (head, parts) => {
    const check = new ChainCheck(head);
    for await (const part of parts) {
      if (part.some((entry) => check.take(entry) !== null)) break;
    }
    const broken = check.finish();
    const { seq, hash } = check.end;
    return { accountId, ok: broken === null, entries: seq, lastHash: seq === 0 ? null : hash, broken };
  });
}

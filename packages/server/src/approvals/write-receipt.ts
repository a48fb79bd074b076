import type { Query } from '../db/client.ts';
import type { LockedApproval } from '../db/queries/approval-decisions.ts';
import { insertReceipt, readMemberEmail } from '../db/queries/receipts.ts';
import type { Caller } from '../keys/caller.ts';
import { claimsOf, type DecisionFacts } from '../receipts/decision-claims.ts';
import type { ReceiptDecider } from '../receipts/receipt-claims.ts';
import { hashReceipt } from '../receipts/receipt-token.ts';
import type { ReceiptSigner } from '../receipts/receipts.ts';
import type { Decider } from './holds/decider.ts';

/**
 * Signs and stores the receipt of a decision, in the transaction that decides. Returns its hash, for the audit log.
 * @param who `caller` is null for a link in a mail
 */
export async function writeReceipt(
  transaction: Query,
  { signer, baseUrl }: { readonly signer: ReceiptSigner; readonly baseUrl: string },
  who: { readonly decider: Decider; readonly caller: Caller | null },
  hold: LockedApproval,
  decided: Omit<DecisionFacts, 'baseUrl' | 'hold' | 'decider'>,
): Promise<string> {
  const decider = await identifyDecider(transaction, hold.accountId, who, decided.now);
  const receipt = signer.sign(claimsOf({ ...decided, baseUrl, hold, decider }));
  await insertReceipt(transaction, hold, receipt, decided.now);
  return hashReceipt(receipt);
}

/**
 * Who decides, as a receipt names them.
 * @param caller null for a link in a mail, which belongs to a member
 */
async function identifyDecider(
  transaction: Query,
  accountId: string,
  { decider, caller }: { readonly decider: Decider; readonly caller: Caller | null },
  now: Date,
): Promise<ReceiptDecider> {
  const at = now.toISOString();
  const id = decider.actor;
  if (caller === null) {
    const email = await readMemberEmail(transaction, accountId, id);
    return { kind: 'member', id, email, way: 'mail', sessionId: null, at };
  }
  const { user, keyName: name } = caller;
  if (user === null) return { kind: 'key', id, name, way: decider.way === 'mcp' ? 'mcp' : 'api', at };
  const { email, sessionId, isDevice } = user;
  return { kind: 'member', id, email, way: isDevice ? 'device' : 'console', sessionId, at };
}

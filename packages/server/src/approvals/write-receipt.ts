import type { Query } from '../db/client.ts';
import type { LockedApproval } from '../db/queries/approval-decisions.ts';
import { insertReceipt, readMemberEmail } from '../db/queries/receipts.ts';
import type { Caller } from '../keys/caller.ts';
import { claimsOf, type DecisionFacts } from '../receipts/decision-claims.ts';
import type { ReceiptAssertion, ReceiptDecider } from '../receipts/receipt-claims.ts';
import { hashReceipt } from '../receipts/receipt-token.ts';
import type { ReceiptSigner } from '../receipts/receipts.ts';
import type { Decider } from './holds/decider.ts';

interface Deciding {
  readonly decider: Decider;
  /** Null for a link in a mail. */
  readonly caller: Caller | null;
  /** The signature of the decider's passkey; null without one. */
  readonly proof: ReceiptAssertion | null;
}

/**
 * Signs and stores the receipt of a decision, in the transaction that decides. Returns its hash, for the audit log.
 */
export async function writeReceipt(
  transaction: Query,
  { signer, baseUrl }: { readonly signer: ReceiptSigner; readonly baseUrl: string },
  hold: LockedApproval,
  decided: Omit<DecisionFacts, 'baseUrl' | 'hold'>,
): Promise<string> {
  const receipt = signer.sign(claimsOf({ ...decided, baseUrl, hold }));
  await insertReceipt(transaction, hold, receipt, decided.now);
  return hashReceipt(receipt);
}

/** Who decides, as a receipt names them. */
export async function identifyDecider(
  transaction: Query,
  accountId: string,
  { decider, caller, proof }: Deciding,
  now: Date,
): Promise<ReceiptDecider> {
  const at = now.toISOString();
  const assertion = proof === null ? {} : { assertion: proof };
  const id = decider.actor;
  if (caller === null) {
    const email = await readMemberEmail(transaction, accountId, id);
    return { kind: 'member', id, email, way: 'mail', sessionId: null, at, ...assertion };
  }
  const { user, keyName: name } = caller;
  if (user === null) return { kind: 'key', id, name, way: decider.way === 'mcp' ? 'mcp' : 'api', at };
  const { email, sessionId, isDevice } = user;
  return { kind: 'member', id, email, way: isDevice ? 'device' : 'console', sessionId, at, ...assertion };
}

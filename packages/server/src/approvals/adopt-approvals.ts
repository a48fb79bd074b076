import type { Sql } from '../db/client.ts';
import { lockApproval } from '../db/queries/approval-decisions.ts';
import { appendAudit } from '../db/queries/audit-log.ts';
import { lockHeldMessage } from '../db/queries/held-messages.ts';
import { insertReceipt, listWithoutReceipt } from '../db/queries/receipts.ts';
import { claimsOf } from '../receipts/decision-claims.ts';
import { hashReceipt } from '../receipts/receipt-token.ts';
import { createReceipts, type ReceiptSigner, type ReceiptTools } from '../receipts/receipts.ts';

/**
 * Signs receipts for approved messages that still wait for their delivery and have none, because they were approved before there were
 * receipts. It trusts what the database says, so only an operator may start it. Returns how many it signed.
 */
export async function adoptApprovals(tools: ReceiptTools, baseUrl: string): Promise<number> {
  const signer = await createReceipts(tools).signer();
  const waiting = await listWithoutReceipt(tools.sql);
  let adopted = 0;
  for (const one of waiting) if (await adopt(tools, tools.sql, signer, baseUrl, one)) adopted += 1;
  return adopted;
}

async function adopt(
  { clock, ids }: ReceiptTools,
  sql: Sql,
  signer: ReceiptSigner,
  baseUrl: string,
  name: Awaited<ReturnType<typeof listWithoutReceipt>>[number],
): Promise<boolean> {
  const { signed } = await sql.begin(async (transaction) => {
    const hold = await lockApproval(transaction, name);
    const held = hold === null ? null : await lockHeldMessage(transaction, hold);
    if (hold?.status !== 'approved' || held === null) return { signed: false };
    const now = clock.now();
    const { accountId, id: targetId, messageId: emailId, contentHash, revision } = hold;
    const decider = {
      kind: 'recorded',
      id: name.decidedBy ?? 'unknown',
      way: 'recorded',
      at: now.toISOString(),
    } as const;
    const claims = claimsOf({
      ...{ baseUrl, hold, deciders: [decider], approvers: null, now, decision: 'approved', outcome: 'queued' },
      ...{ revision, contentHash, rejectCode: null },
      // The revision of the hold includes the edits.
      ...{ edited: [], scheduledAt: held.scheduledAt },
      files: held.attachments.map(({ digest: sha256, contentId }) => ({ sha256, contentId })),
    });
    const receipt = signer.sign(claims);
    await insertReceipt(transaction, hold, receipt, now);
    const details = { emailId, receipt: hashReceipt(receipt) };
    const entry = {
      accountId,
      id: ids.next(now),
      action: 'approval.adopted',
      actor: 'operator',
      targetId,
      now,
    } as const;
    await appendAudit(transaction, [{ ...entry, details }]);
    return { signed: true };
  });
  return signed;
}

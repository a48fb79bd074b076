import { digestOf } from '../approvals/holds/content-hash.ts';
import type { DeliveryContent } from '../db/queries/load-contents.ts';
import type { Receipts } from '../receipts/receipts.ts';
import type { ApprovedContent, NeverSent } from './message-order.ts';

/**
 * What was approved, for a message that was held. Only a receipt that the installation signed says so: other rows can be changed by anyone
 * who may write to the database.
 * @throws if a retry may succeed: the keys could not be read
 */
export async function findApproval(
  { accountId, messageId, hold }: DeliveryContent,
  readReceipt: Receipts['read'],
): Promise<{ readonly ok: true; readonly approved: ApprovedContent | null } | NeverSent> {
  if (hold === null) return { ok: true, approved: null };
  const claims = hold.receipt === null ? null : await readReceipt(hold.receipt);
  if (claims === null) return without('it has no valid receipt of an approval');
  const isOfMessage = claims.accountId === accountId && claims.emailId === messageId && claims.approvalId === hold.id;
  if (!isOfMessage) return without('its receipt belongs to another message');
  if (claims.decision !== 'approved' || claims.outcome !== 'queued')
    return without('its receipt is not of an approval');
  const { contentHash, scheduledAt } = claims;
  return { ok: true, approved: { contentHash, scheduledAt: scheduledAt === null ? null : new Date(scheduledAt) } };
}

function without(why: string): NeverSent {
  return { ok: false, reason: `The message was held, and nothing was sent: ${why}.`, isUnapproved: true };
}

/** Whether signed bytes are signatures, followed by exactly the bytes that were compared. */
export async function isAsChecked(
  data: Buffer,
  signatures: readonly string[],
  checkedDigest: string | null,
): Promise<boolean> {
  const head = signatures.join('');
  if (!signatures.every((line) => /^DKIM-Signature:[^\r\n]*(?:\r\n[ \t][^\r\n]*)*\r\n$/.test(line))) return false;
  return (
    data.toString('latin1', 0, head.length) === head && (await digestOf(data.subarray(head.length))) === checkedDigest
  );
}

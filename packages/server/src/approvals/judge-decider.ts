import type { Query } from '../db/client.ts';
import { findKeyById } from '../db/queries/api-keys.ts';
import type { LockedApproval } from '../db/queries/approval-decisions.ts';
import type { HeldMessage } from '../db/queries/held-messages.ts';
import { chargeSends } from '../db/queries/insert-sends.ts';
import { readSentCounts } from '../db/queries/key-changes.ts';
import type { Caller } from '../keys/caller.ts';
import type { Refusal } from '../sending/acceptance.ts';
import { isAllowed } from '../sending/allowlist.ts';
import { toKeyRules } from '../sending/key-rules.ts';
import type { Recipient } from '../sending/recipients.ts';
import { type CountedLimit, chargesOf, checkSendLimit, limitsOf, periodStart } from '../sending/send-limits.ts';

/** The hold that is decided, with its message. */
interface Decided {
  readonly hold: LockedApproval;
  readonly held: HeldMessage;
  readonly recipients: readonly Recipient[];
}

/**
 * Why a key may not approve this message, by the rules that restrict what it sends itself: approving makes mail leave as well, and with edits it
 * is the decider's own content. Null where it may; its send limit has counted the message then. Users have no such rules.
 * @throws SQLSTATE PR001 where another decision took the last of the limit at the same moment
 */
export async function judgeDecider(
  transaction: Query,
  { accountId, keyId }: Caller,
  { hold, held, recipients }: Decided,
  now: Date,
): Promise<Refusal | null> {
  const ids = [...new Set([keyId, hold.keyId, held.keyId])];
  const rows = await Promise.all(ids.map((id) => findKeyById(transaction, accountId, id)));
  const [own, ...senders] = rows.map((row) => (row === null ? null : { keyId: row.keyId, ...toKeyRules(row) }));
  if (!own) return null;
  if (own.pausedBy === 'key') return PAUSED;
  const beyond = recipients.filter(({ email }) => !isAllowed(email, own.recipientAllowlist));
  if (beyond.length > 0) return notAllowed(beyond);
  // What counted for a key when the send was accepted does not count again.
  const counted = new Set(
    senders.flatMap((sender) => (sender === null ? [] : limitsOf(sender))).map((limit) => limit.keyId),
  );
  const limits = limitsOf(own).filter((limit) => !counted.has(limit.keyId));
  const fault = await findLimitFault(transaction, accountId, limits, now);
  if (fault !== null) return fault;
  await chargeSends(
    transaction,
    limits.flatMap((limit) => chargesOf(accountId, limit, 1, now)),
  );
  return null;
}

async function findLimitFault(
  transaction: Query,
  accountId: string,
  limits: readonly CountedLimit[],
  now: Date,
): Promise<Refusal | null> {
  const starts = { hour: periodStart('hour', now), day: periodStart('day', now) };
  for (const limit of limits) {
    const sent = await readSentCounts(transaction, { accountId, keyId: limit.keyId }, starts);
    const fault = checkSendLimit(limit, sent, now);
    if (fault !== null) return { ...fault, detail: `${fault.detail} An approval counts as a send.` };
  }
  return null;
}

const PAUSED: Refusal = {
  code: 'sending_paused',
  detail: 'The calling key is paused: it approves nothing.',
  fix: 'Have the key resumed (POST /keys/:id/resume), or ask a user to decide.',
};

function notAllowed(recipients: readonly Recipient[]): Refusal {
  const code = 'recipient_not_allowed';
  const names = recipients.map(({ email }) => email).join(', ');
  return {
    code,
    detail: `${names}: not on the recipient allowlist of the calling key. The send is still held.`,
    fix: 'Ask a user to decide this send, or use a key that may send to these recipients.',
    recipients: recipients.map(({ email, kind }) => ({ email, kind, code })),
  };
}

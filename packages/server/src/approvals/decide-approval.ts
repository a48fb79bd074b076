import type { ApprovalDecision, EditableField, FieldProblem, Problem } from '@postrider/core';
import type { Confirmed } from '../auth/passkeys/confirmation.ts';
import type { Statement } from '../auth/passkeys/statement.ts';
import type { Clock } from '../clock.ts';
import type { Query, Sql } from '../db/client.ts';
import { classifyDatabaseError } from '../db/database-errors.ts';
import {
  addRevision,
  endApproval,
  type LockedApproval,
  lockApproval,
  trustRecipients,
} from '../db/queries/approval-decisions.ts';
import { keepVotes } from '../db/queries/approval-votes.ts';
import { readApproverRules } from '../db/queries/approver-rules.ts';
import {
  type HeldBodies,
  type HeldMessage,
  lockHeldMessage,
  readHeldBodies,
  rewriteHeldMessage,
} from '../db/queries/held-messages.ts';
import { keepPlans } from '../db/session-settings.ts';
import type { Caller } from '../keys/caller.ts';
import { isStillAllowed } from '../keys/check-again.ts';
import { ProblemError, toProblem } from '../problem.ts';
import { toReceiptAssertion } from '../receipts/receipt-assertion.ts';
import type { ReceiptSigner, Receipts } from '../receipts/receipts.ts';
import type { Refusal } from '../sending/acceptance.ts';
import type { JobThreads } from '../threads/job-threads.ts';
import { writeJsonInSlices } from '../threads/sliced-json.ts';
import { type IdGenerator, isUuid } from '../uuid-v7.ts';
import { applyEdits, type EditedContent } from './apply-edits.ts';
import { refuseByRules } from './approver-refusal.ts';
import { type EditedHtml, READ_EDITED_HTML, sizeOfEdit } from './edited-html.ts';
import { hashContent } from './holds/content-hash.ts';
import { type Decider, SYSTEM } from './holds/decider.ts';
import { endHolds } from './holds/end-hold.ts';
import {
  ApprovalLimitError,
  countApproval,
  type DeciderVerdict,
  judgeDecider,
  refuseUnreadEdits,
} from './judge-decider.ts';
import { judgePasskey } from './passkey-approval.ts';
import { recheckAcceptance } from './recheck-acceptance.ts';
import { recordApproval } from './record-approval.ts';
import { releaseMessage } from './release-message.ts';
import { editedSince, LostRoleError, recordVote, type Votes, type Voting, vote } from './vote.ts';
import { identifyDecider, writeReceipt } from './write-receipt.ts';

export interface DecidingTools {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly sandboxDomain: string;
  /** See planDeliveries. */
  readonly byDomain: boolean;
  readonly retryHours: number;
  readonly monthlyQuota: number;
  readonly baseUrl: string;
  readonly threads: JobThreads;
  readonly receipts: Receipts;
}

/** A decision by a user, by a key, or by a link in a mail. A link is valid for one revision only. */
export interface Decision extends ApprovalDecision {
  readonly revision?: number;
}

/** Data the caller adds to a decision: who decides, and a step to run in the same transaction. */
export interface DecidingManner {
  /**
   * The key or signed-in user that decides; null for a link in a mail. It must still have permission, and a key's own rules apply to what
   * it approves.
   */
  readonly caller: Caller | null;
  /** What the person who decides has confirmed with a passkey. */
  readonly confirmed?: Confirmed | null;
  /**
   * Runs in the transaction of the decision.
   * @param isFinal false for an approval that leaves the hold undecided, because more people must approve
   */
  readonly onDecided?: (transaction: Query, now: Date, isFinal: boolean) => Promise<void>;
}

export type DecisionVerdict =
  | { readonly kind: 'decided'; readonly emailId: string; readonly outcome: 'queued' | 'failed' | 'rejected' }
  /** An approval before the last one: the hold is still undecided. */
  | { readonly kind: 'recorded'; readonly emailId: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'self_approval' }
  /** The caller lost permission to decide while the request was running. */
  | { readonly kind: 'lost_permission' }
  /** The rules of the hold or of the deciding key forbid the approval; the send is still held. */
  | { readonly kind: 'beyond_caller'; readonly refusal: Refusal }
  /** The approval needs a passkey, and has none or one for something else. `statement` is null for a caller who has no page. */
  | { readonly kind: 'passkey_needed'; readonly statement: Statement | null }
  | { readonly kind: 'already_decided'; readonly status: string }
  | { readonly kind: 'changed' }
  /** Another approver has edited it, and the caller does not say what they have seen. */
  | { readonly kind: 'unseen' }
  | { readonly kind: 'invalid'; readonly problems: readonly FieldProblem[] };

/**
 * Decides a hold in one transaction, which covers the hold, its message, the events of both, the audit log and the announcement. The lock
 * on the hold's row serializes deciding, withdrawing and expiring: the second to get it finds the hold decided.
 */
export async function decideApproval(
  tools: DecidingTools,
  { accountId, id }: { readonly accountId: string; readonly id: string },
  decision: Decision,
  decider: Decider,
  manner: DecidingManner,
): Promise<DecisionVerdict> {
  if (!isUuid(id)) return { kind: 'missing' };
  const prepared = await prepareEdit(tools, { accountId, id }, decision);
  // Read before the transaction, whose connection sees only the account. No decision is made without a receipt.
  const signer = await tools.receipts.signer();
  for (let round = 1; ; round += 1) {
    try {
      return await decideOnce({ ...tools, signer }, { accountId, id }, { decision, prepared }, decider, manner);
    } catch (error) {
      if (error instanceof LostRoleError) return { kind: 'lost_permission' };
      if (error instanceof ApprovalLimitError) return { kind: 'beyond_caller', refusal: error.refusal };
      if (classifyDatabaseError(error) !== 'conflict' || round === MAX_ROUNDS) throw error;
    }
  }
}

/** Retries after a deadlock or a lock timeout; more than a few attempts are never needed. */
const MAX_ROUNDS = 5;

/** The tools of one decision. */
interface SigningTools extends DecidingTools {
  readonly signer: ReceiptSigner;
}

async function decideOnce(
  tools: SigningTools,
  name: { readonly accountId: string; readonly id: string },
  { decision, prepared }: { readonly decision: Decision; readonly prepared: PreparedEdit | null },
  decider: Decider,
  { caller, confirmed = null, onDecided }: DecidingManner,
): Promise<DecisionVerdict> {
  const { sql, clock, ids } = tools;
  const result = await sql.begin(async (transaction) => {
    await keepPlans(transaction);
    const hold = await lockApproval(transaction, name);
    const now = clock.now();
    const obstacle = await findObstacle(transaction, tools, hold, decision, caller, now);
    if (obstacle !== null) return { verdict: obstacle };
    if (hold === null) throw new Error('a hold that is missing has no obstacle');
    if (decision.decision === 'approve') {
      const verdict = await approve(transaction, tools, hold, decision, { prepared, decider, caller, confirmed }, now);
      const isFinal = verdict.kind === 'decided';
      if (isFinal || verdict.kind === 'recorded') await onDecided?.(transaction, now, isFinal);
      return { verdict };
    }
    const { note = null, rejectCode = null } = decision;
    await onDecided?.(transaction, now, true);
    const rejecter = await identifyDecider(transaction, hold.accountId, { decider, caller, proof: null }, now);
    const { revision, contentHash, edited } = hold;
    const receipt = await writeReceipt(transaction, tools, hold, {
      ...{ decision: 'rejected', outcome: null, deciders: [rejecter], approvers: null, rejectCode, now },
      ...{ revision, contentHash, edited, scheduledAt: null, files: [] },
    });
    await endHolds(transaction, ids, [hold], { status: 'rejected', note, rejectCode, receipt }, decider, now);
    return { verdict: { kind: 'decided', emailId: hold.messageId, outcome: 'rejected' } as const };
  });
  return result.verdict;
}

interface PreparedEdit extends EditedHtml {
  readonly before: HeldBodies;
}

/** Returns null if the approver does not change the HTML. */
async function prepareEdit(
  { sql, threads }: DecidingTools,
  name: { readonly accountId: string; readonly id: string },
  { decision, edits }: Decision,
): Promise<PreparedEdit | null> {
  if (decision !== 'approve' || edits?.html === undefined) return null;
  const before = await readHeldBodies(sql, name);
  if (before === null) return null;
  const edit = { before, html: edits.html, derivesText: edits.text === undefined };
  const result = await threads.run({ accountId: name.accountId }, READ_EDITED_HTML, edit, sizeOfEdit(edit));
  if (result.kind === 'done') return { ...result.output, before };
  throw new ProblemError('unavailable', { detail: 'Too many large messages are being read right now.' });
}

function isOf({ html, text }: HeldMessage, { before }: PreparedEdit): boolean {
  return html === before.html && text === before.text;
}

async function findObstacle(
  transaction: Query,
  { ids }: DecidingTools,
  hold: LockedApproval | null,
  { contentHash, revision }: Decision,
  caller: Caller | null,
  now: Date,
): Promise<DecisionVerdict | null> {
  // Checked after the lock, because a decision can wait for it and the permission can change meanwhile.
  if (caller !== null && !(await isStillAllowed(transaction, caller, 'approvals:decide', now))) {
    return { kind: 'lost_permission' };
  }
  if (hold === null) return { kind: 'missing' };
  if (caller?.user === null && caller.keyId === hold.keyId) return { kind: 'self_approval' };
  if (hold.status !== 'pending') return { kind: 'already_decided', status: hold.status };
  if (hold.expiresAt <= now) {
    // The hold has expired, even if the scheduled job has not ended it yet.
    await endHolds(transaction, ids, [hold], { status: 'expired' }, SYSTEM, now);
    return { kind: 'already_decided', status: 'expired' };
  }
  const isOther =
    (contentHash !== undefined && contentHash !== hold.contentHash) ||
    (revision !== undefined && revision !== hold.revision);
  return isOther ? { kind: 'changed' } : null;
}

interface Approving {
  readonly prepared: PreparedEdit | null;
  readonly decider: Decider;
  readonly caller: Caller | null;
  readonly confirmed: Confirmed | null;
}

async function approve(
  transaction: Query,
  tools: SigningTools,
  hold: LockedApproval,
  { edits, note: said, remember: asked, contentHash: shownHash, revision: shownRevision }: Decision,
  { prepared, decider, caller, confirmed }: Approving,
  now: Date,
): Promise<DecisionVerdict> {
  const [note, remember] = [said ?? null, asked === true];
  const held = await lockHeldMessage(transaction, hold);
  if (held?.status !== 'pending_approval') throw new Error(`the message of the hold ${hold.id} is not held`);
  const rules = await readApproverRules(transaction, hold.accountId, [hold.keyId, held.keyId]);
  const approver = { memberId: decider.actor, isKey: caller !== null && caller.user === null };
  const refusal =
    (await refuseByRules(transaction, hold.accountId, rules, approver)) ?? refuseUnreadEdits(caller, held, edits);
  if (refusal !== null) return { kind: 'beyond_caller', refusal };
  if (hold.heldContentHash !== null && shownHash === undefined && shownRevision === undefined)
    return { kind: 'unseen' };
  // Content that was edited meanwhile is another revision. This check makes sure that the prepared edit was computed from this content.
  if (edits?.html !== undefined && (prepared === null || !isOf(held, prepared))) return { kind: 'changed' };
  const verdict = applyEdits(held, edits ?? {}, prepared, now);
  if (!verdict.ok) return { kind: 'invalid', problems: verdict.problems };
  const { content, changes } = verdict;
  const fields = Object.keys(changes) as EditableField[]; // The keys of `changes` are EditableFields by its type.
  const contentHash = fields.length === 0 ? hold.contentHash : await hashOf(held, content);
  const revision = fields.length === 0 ? hold.revision : hold.revision + 1;
  const passkey = judgePasskey(
    { baseUrl: tools.baseUrl, hold, contentHash, remember, revision },
    { memberId: decider.actor, caller, confirmed },
    rules.requirePasskey,
  );
  if (passkey.kind === 'passkey_needed') return passkey;
  const { recipients } = content;
  const { refusal: beyond, limits } = await judgeDecider(transaction, caller, { hold, held, recipients });
  if (beyond !== null) return { kind: 'beyond_caller', refusal: beyond };
  const proof = passkey.kind === 'proven' ? await toReceiptAssertion(passkey.confirmed, remember) : null;
  const approval = {
    ...{ decider, rules, note, remember, fields, contentHash, now },
    signer: await identifyDecider(transaction, hold.accountId, { decider, caller, proof }, now),
    passkey: passkey.kind === 'proven' ? passkey.confirmed.passkey.id : null,
  };
  if (fields.length > 0) {
    await addRevision(transaction, hold, { changes: await writeJsonInSlices(changes), actor: decider.actor, now });
    await rewrite(transaction, hold, content, 'html' in changes ? prepared : null);
  }
  const alone = { deciders: [approval.signer], remember, isNew: true };
  const votes = rules.count > 1 ? await vote(transaction, hold, approval) : alone;
  if (votes.deciders.length >= rules.count) {
    return await release(transaction, tools, hold, { held, content, revision, limits }, approval, votes);
  }
  if (votes.isNew) await recordVote(transaction, tools.ids, hold, approval, votes.deciders.length);
  return { kind: 'recorded', emailId: hold.messageId };
}

interface Released extends Pick<DeciderVerdict, 'limits'> {
  readonly held: HeldMessage;
  readonly content: EditedContent;
  readonly revision: number;
}

/** Ends the hold with an approval, and queues its message. */
async function release(
  transaction: Query,
  tools: SigningTools,
  hold: LockedApproval,
  { held, content, revision, limits }: Released,
  { decider, rules, note, fields, contentHash, passkey, now }: Voting,
  { deciders, remember }: Votes,
): Promise<DecisionVerdict> {
  const check = await recheckAcceptance(transaction, tools, hold, held, content.recipients, now);
  // Only here: where several people must approve, `refuseByRules` refuses keys.
  await countApproval(transaction, hold.accountId, limits, now);
  const outcome: 'queued' | 'failed' = check.refusal === null ? 'queued' : 'failed';
  const problem = check.refusal === null ? null : toStoredProblem(check.refusal, tools, decider);
  const edited = editedSince(hold, fields);
  const end = { status: 'approved', decidedBy: decider.actor, note, rejectCode: null, now, revision, edited } as const;
  if (!(await endApproval(transaction, hold, { ...end, contentHash, outcome, problem }))) {
    throw new Error('a locked hold was decided by another transaction');
  }
  await releaseMessage(transaction, tools, hold, held, content, { edited, note, now, ...check });
  await keepVotes(transaction, hold, rules.count > 1 ? deciders.map(({ id }) => id) : []);
  if (remember) await trustRecipients(transaction, hold, content.recipients.map(folded), now);
  const receipt = await writeReceipt(transaction, tools, hold, {
    ...{ decision: 'approved', outcome, deciders, approvers: rules, rejectCode: null, now },
    ...{ revision, contentHash, edited, scheduledAt: content.scheduledAt },
    files: held.attachments.map(({ digest: sha256, contentId }) => ({ sha256, contentId })),
  });
  const what = { fields, note, contentHash, outcome, remember, passkey, receipt, now };
  await recordApproval(transaction, tools.ids, hold, decider, what);
  return { kind: 'decided', emailId: hold.messageId, outcome };
}

function hashOf(held: HeldMessage, content: EditedContent): Promise<string> {
  const { fromGiven: from, replyTo, headers, attachments, unsubscribe } = held;
  return hashContent({ from, replyTo, headers, attachments, unsubscribe, ...content });
}

function toStoredProblem(refusal: Refusal, { baseUrl }: DecidingTools, { requestId }: Decider): Problem {
  const { code, detail, fix, recipients } = refusal;
  const details = { detail, ...(fix ? { fix } : {}), ...(recipients ? { recipients } : {}) };
  return toProblem(new ProblemError(code, details), baseUrl, requestId ?? 'none');
}

async function rewrite(
  transaction: Query,
  hold: LockedApproval,
  content: EditedContent,
  edited: EditedHtml | null,
): Promise<void> {
  const { recipients, subject, html, text, scheduledAt } = content;
  const to = recipients.filter(({ kind }) => kind === 'to').map(({ email }) => email);
  await rewriteHeldMessage(transaction, hold, {
    ...{ toLine: to.join(', '), subject, html, text, scheduledAt, recipients },
    ...(edited === null ? {} : { tracking: edited.tracking }),
  });
}

function folded({ email }: { readonly email: string }): string {
  return email.toLowerCase();
}

import { type Scope, toApprovers } from '@postrider/core';
import { cancelDeletion } from '../../accounts/schedule-deletion.ts';
import { changeAccount } from '../../db/queries/account-record.ts';
import { lockAccount } from '../../db/queries/accounts.ts';
import { type ApproverRules, readApproverRules } from '../../db/queries/approver-rules.ts';
import { appendAudit } from '../../db/queries/audit-log.ts';
import { ProblemError } from '../../problem.ts';
import { assertApproversWork } from '../assert-approvers-work.ts';
import { findUnconfirmed, type GuardedChange } from '../confirm-change.ts';
import type { Handler } from '../context.ts';
import { readAccount } from './account-record.ts';

export const updateAccount: Handler<'account.update'> = async ({ body }, context) => {
  const { database, callers, installation } = context.services;
  const { accountId, keyId: actor } = context.caller;
  const { name = null, trackOpens = null, trackClicks = null, cancelDeletion: isKept = false, approvers } = body;
  const { baseUrl } = installation;
  await assertApproversWork(database.sql, { accountId, given: approvers, baseUrl, isForAccount: true });
  const wanted = approvers === undefined ? null : toApprovers(approvers);
  const [approvalsNeedPasskey, approvalsNeeded] = [wanted?.requirePasskey ?? null, wanted?.count ?? null];
  const confirmed = await context.readConfirmed();
  const now = database.clock.now();
  await database.sql.begin(async (transaction) => {
    await lockAccount(transaction, { id: accountId });
    if (wanted !== null) {
      const rules = await readApproverRules(transaction, accountId, []);
      if (isLooser(wanted, rules)) assertDecides(context.caller.scopes);
      const refusal = needsPasskey(wanted, rules) ? findUnconfirmed(context, confirmed, loosening(body)) : null;
      if (refusal !== null) throw refusal;
    }
    const changes = { name, trackOpens, trackClicks, approvalsNeedPasskey, approvalsNeeded };
    if (!(await changeAccount(transaction, accountId, changes))) return;
    const given = Object.entries(changes).filter(([, value]) => value !== null);
    const entry = {
      accountId,
      id: database.ids.next(now),
      actor,
      targetId: null,
      details: Object.fromEntries(given),
      now,
    };
    await appendAudit(transaction, [{ ...entry, action: 'account.updated' }]);
  });
  if (isKept) await cancelDeletion(database, accountId, actor);
  // The switches take effect here at once; other processes cache a key for half a second.
  callers.forget();
  return { body: await readAccount({ database, installation }, accountId) };
};

type Rules = Pick<ApproverRules, 'requirePasskey' | 'count'>;

function isLooser(wanted: Rules, now: Rules): boolean {
  return (now.requirePasskey && !wanted.requirePasskey) || wanted.count < now.count;
}

/** Where approvals need a passkey, loosening them needs one too. */
function needsPasskey(wanted: Rules, now: Rules): boolean {
  return now.requirePasskey && isLooser(wanted, now);
}

/** Fewer approvals have the effect of a decision, also on mail that is already held. */
function assertDecides(scopes: readonly Scope[]): void {
  if (scopes.includes('approvals:decide')) return;
  throw new ProblemError('permission_escalation', {
    detail: 'Loosening `approvers` lets mail be sent with fewer approvals, and the caller may not decide held sends.',
    fix: 'Use a key with `approvals:decide`, or have an owner or admin who may decide change it. On the command line, sign in again and tick “Approve and reject held sends” on the page.',
  });
}

function loosening(what: unknown): GuardedChange {
  const detail = 'Approvals would no longer need a passkey, or would need fewer people.';
  return { operation: 'account.update', target: null, what, detail, page: '/console/settings' };
}

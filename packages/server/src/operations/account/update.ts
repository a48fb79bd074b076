import { toApprovers } from '@postrider/core';
import { cancelDeletion } from '../../accounts/schedule-deletion.ts';
import { changeAccount } from '../../db/queries/account-record.ts';
import { lockAccount } from '../../db/queries/accounts.ts';
import { type ApproverRules, readApproverRules } from '../../db/queries/approver-rules.ts';
import { appendAudit } from '../../db/queries/audit-log.ts';
import { assertApproversWork } from '../assert-approvers-work.ts';
import { findUnconfirmed, type GuardedChange } from '../confirm-change.ts';
import type { Handler } from '../context.ts';
import { decidersOnly } from '../deciders-only.ts';
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
      // Fewer approvals have the effect of a decision, also on mail that is already held.
      if (isLooser(wanted, rules) && !context.caller.scopes.includes('approvals:decide')) {
        throw decidersOnly('Loosening `approvers` lets mail be sent with fewer approvals');
      }
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

function loosening(what: unknown): GuardedChange {
  const detail = 'Approvals would no longer need a passkey, or would need fewer people.';
  return { operation: 'account.update', target: null, what, detail, page: '/console/settings' };
}

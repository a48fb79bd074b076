import { foldAddress, type MessageStatus } from '@postrider/core';
import type { Clock } from '../clock.ts';
import type { Sql, Transaction } from '../db/client.ts';
import {
  countReports,
  findReportedAccount,
  lockReportedMessage,
  type ReportCount,
} from '../db/queries/inbound-reports.ts';
import { classifyDiagnostic } from '../delivery/classify-reply.ts';
import { recordLateEvent } from '../delivery/record-late-event.ts';
import { automaticReasonOf } from '../suppressions/automatic-reason.ts';
import { suppress } from '../suppressions/suppress.ts';
import type { IdGenerator } from '../uuid-v7.ts';
import { decideReport, type ReportEvent, type ReportOutcome } from './decide-report.ts';
import type { InboundReport, OtherMail } from './inbound-report.ts';
import type { ReadReport } from './read-report.ts';
import type { ReadReturnPath } from './return-path.ts';

export interface ReportTools {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  /** Addresses at this domain are test addresses, which are never suppressed. */
  readonly sandboxDomain: string;
}

export interface AppliedReport {
  /** `too_early`: nothing is written, because the delivery attempt it is about is still in progress. */
  readonly outcome: ReportOutcome | OtherMail['outcome'] | 'too_early';
  /** Null if the account no longer exists. */
  readonly accountId: string | null;
}

/** A message of an account. */
interface Reported {
  readonly accountId: string;
  readonly messageId: string;
}

/**
 * Records a report to the return path of a message: its events, suppressions and counts are written together or not at
 * all. Repeating it only changes the count.
 * @throws what the database throws; then the result is unknown, and it can be recorded again.
 */
export async function applyReport(
  tools: ReportTools,
  { account, messageId, ordinals }: ReadReturnPath,
  { report, mailId }: ReadReport,
): Promise<AppliedReport> {
  const isOurs = mailId?.startsWith(`${messageId}@`) === true;
  const actual: InboundReport = isOurs ? { kind: 'other', outcome: 'loop' } : report;
  return await tools.sql.begin(async (transaction) => {
    const isWhole = account.least === account.greatest;
    const accountId = isWhole ? account.least : await findReportedAccount(transaction, { ...account, messageId });
    const counted = { accountId, messageId, kind: actual.kind };
    if (actual.kind === 'other' || accountId === null) {
      const outcome = actual.kind === 'other' ? actual.outcome : 'gone';
      await count(tools, transaction, { ...counted, outcome });
      return { outcome, accountId };
    }
    const reported = { accountId, messageId };
    const rows = await lockReportedMessage(transaction, reported);
    // The column contains the statuses of message-status.ts.
    const recipients = rows.map((row) => ({ ...row, status: row.status as MessageStatus }));
    const verdict = decideReport({ recipients, ordinals }, actual, classifyDiagnostic);
    if (verdict.kind === 'too_early') return { outcome: 'too_early', accountId };
    for (const event of verdict.events) await recordEvent(tools, transaction, reported, event);
    await count(tools, transaction, { ...counted, outcome: verdict.outcome });
    await suppressAll(tools, transaction, reported, verdict.events);
    return { outcome: verdict.outcome, accountId };
  });
}

async function recordEvent(
  { clock, ids }: ReportTools,
  transaction: Transaction,
  { accountId, messageId }: Reported,
  { ordinal, type, classification, detail }: ReportEvent,
): Promise<void> {
  const at = clock.now();
  const event = { accountId, messageId, ordinal, type, classification, detail, at, eventId: ids.next(at) };
  await recordLateEvent(transaction, event);
}

async function count(
  { clock, ids }: ReportTools,
  transaction: Transaction,
  counted: Pick<ReportCount, 'accountId' | 'messageId' | 'kind' | 'outcome'>,
): Promise<void> {
  const now = clock.now();
  await countReports(transaction, { ...counted, id: ids.next(now), count: 1, now });
}

/** Last in its transaction, because the audit log stays locked until the end. */
async function suppressAll(
  { clock, ids, sandboxDomain }: ReportTools,
  transaction: Transaction,
  { accountId, messageId: emailId }: Reported,
  events: readonly ReportEvent[],
): Promise<void> {
  const now = clock.now();
  const entries = events.flatMap(({ email: given, type, classification }) => {
    const reason = automaticReasonOf(type, classification);
    const email = foldAddress(given);
    if (reason === null || email.endsWith(`@${sandboxDomain}`)) return [];
    return [{ accountId, id: ids.next(now), email, reason, emailId, note: null, expiresAt: null }];
  });
  // Proof that an address is bad outlasts a temporary entry that a user made.
  const options = { now, actor: 'system', replacesTemporary: true };
  if (entries.length > 0) await suppress(transaction, ids, entries, options);
}

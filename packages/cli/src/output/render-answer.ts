import { isRecord, textOf } from './json-value.ts';
import type { Output } from './output.ts';
import { severalLines } from './untrusted-text.ts';
import type { View } from './view.ts';
import { showStats, showVolume } from './views/account-stats.ts';
import { showApproval, showApprovalList, showDecision } from './views/approval.ts';
import { showAuditList } from './views/audit-list.ts';
import { showChecklist } from './views/checklist.ts';
import { showDomain, showDomainList, showDomainRecords } from './views/domain.ts';
import { showEmail } from './views/email.ts';
import { showEmailList } from './views/email-list.ts';
import { showKey, showKeyList } from './views/key.ts';
import { showOwnKey } from './views/own-key.ts';
import { showList, showRecord } from './views/plain.ts';
import { showRenderedTemplate } from './views/rendered-template.ts';
import { showRequestList } from './views/request-list.ts';
import { showSession } from './views/session.ts';
import { showSuppressed, showSuppressionList } from './views/suppression-list.ts';
import { showAccounts, showTeam } from './views/team.ts';
import { showTemplate } from './views/template.ts';
import { showTemplateList } from './views/template-list.ts';
import { showTicket, showTicketList } from './views/ticket.ts';
import { showToolCheck, showToolList } from './views/tool-check.ts';
import { showDeliveryList, showWebhook, showWebhookList } from './views/webhook.ts';

/** Answers that deserve their own form; every other operation gets a plain list or sheet of what it answers. */
const VIEWS: Readonly<Record<string, View>> = {
  'account.checklist': showChecklist,
  'account.stats': showStats,
  'account.volume': showVolume,
  'approvals.decide': showDecision,
  'approvals.get': showApproval,
  'approvals.list': showApprovalList,
  'audit.list': showAuditList,
  'auth.accounts': showAccounts,
  'auth.switch': showSession,
  'domains.create': showDomain,
  'domains.delete': showDomain,
  'domains.get': showDomain,
  'domains.history': showDomainList,
  'domains.list': showDomainList,
  'domains.records': showDomainRecords,
  'domains.restore': showDomain,
  'domains.rotate': showDomain,
  'domains.verify': showDomain,
  'emails.get': showEmail,
  'emails.list': showEmailList,
  'keys.create': showKey,
  'keys.get': showKey,
  'keys.list': showKeyList,
  'keys.pause': showKey,
  'keys.resume': showKey,
  'keys.revoke': showKey,
  'keys.rotate': showKey,
  'keys.self': showOwnKey,
  'keys.update': showKey,
  'requests.list': showRequestList,
  'templates.create': showTemplate,
  'templates.delete': showTemplate,
  'templates.get': showTemplate,
  'templates.list': showTemplateList,
  'templates.render': showRenderedTemplate,
  'templates.update': showTemplate,
  'suppressions.list': showSuppressionList,
  'suppressions.create': showSuppressed,
  'team.list': showTeam,
  'tickets.create': showTicket,
  'tickets.get': showTicket,
  'tickets.list': showTicketList,
  'tickets.reply': showTicket,
  'tools.blocklist': showToolCheck,
  'tools.dkim': showToolCheck,
  'tools.dmarc': showToolCheck,
  'tools.inbox-placement': showToolCheck,
  'tools.list': showToolList,
  'tools.mx': showToolCheck,
  'tools.spf': showToolCheck,
  'webhooks.create': showWebhook,
  'webhooks.deliveries': showDeliveryList,
  'webhooks.delete': showWebhook,
  'webhooks.get': showWebhook,
  'webhooks.list': showWebhookList,
  'webhooks.rotate': showWebhook,
  'webhooks.update': showWebhook,
};

/** Prints an operation's answer for people. */
export function renderAnswer(operationId: string, given: unknown, output: Output, now: Date): void {
  // A bare list is shown as a record with nothing else in it.
  const answer = Array.isArray(given) ? { items: given } : given;
  if (!isRecord(answer)) {
    output.writeText(`${severalLines(textOf(answer)).trimEnd()}\n`);
    return;
  }
  const view = Object.hasOwn(VIEWS, operationId) ? VIEWS[operationId] : undefined;
  const plain = 'nextCursor' in answer ? showList : showRecord;
  (view ?? plain)(answer, output, now);
}

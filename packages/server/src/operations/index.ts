import type { CallableId } from '@postrider/core';
import { getAccountChecklist } from './account/checklist.ts';
import { deleteAccount } from './account/delete.ts';
import { getAccount } from './account/get.ts';
import { pauseAccount } from './account/pause.ts';
import { resumeAccount } from './account/resume.ts';
import { getAccountStats } from './account/stats.ts';
import { updateAccount } from './account/update.ts';
import { getAccountVolume } from './account/volume.ts';
import { decideApproval } from './approvals/decide.ts';
import { decideApprovals } from './approvals/decide-many.ts';
import { getApproval } from './approvals/get.ts';
import { listApprovals } from './approvals/list.ts';
import { listAuditEntries } from './audit/list.ts';
import { listSessionAccounts } from './auth/accounts.ts';
import { startDevice } from './auth/device.ts';
import { confirmDevice } from './auth/device-confirm.ts';
import { takeDeviceToken } from './auth/device-token.ts';
import { logOut } from './auth/logout.ts';
import { requestMagicLink } from './auth/magic-link.ts';
import { getSession } from './auth/session.ts';
import { switchSession } from './auth/switch.ts';
import type { Handler } from './context.ts';
import { createDomain } from './domains/create.ts';
import { deleteDomain } from './domains/delete.ts';
import { getDomain } from './domains/get.ts';
import { listRemovedDomains } from './domains/history.ts';
import { listDomains } from './domains/list.ts';
import { getDomainRecords } from './domains/records.ts';
import { restoreDomain } from './domains/restore.ts';
import { rotateDomain } from './domains/rotate.ts';
import { verifyDomain } from './domains/verify.ts';
import { cancelEmail, deleteEmail } from './emails/cancel.ts';
import { exportEmails } from './emails/export.ts';
import { getEmail } from './emails/get.ts';
import { listEmails } from './emails/list.ts';
import { rescheduleEmail } from './emails/reschedule.ts';
import { resendEmail } from './emails/resend.ts';
import { sendEmail } from './emails/send.ts';
import { sendEmailBatch } from './emails/send-batch.ts';
import { createKey } from './keys/create.ts';
import { getKey } from './keys/get.ts';
import { listKeys } from './keys/list.ts';
import { pauseKey } from './keys/pause.ts';
import { resumeKey } from './keys/resume.ts';
import { revokeKey } from './keys/revoke.ts';
import { rotateKey } from './keys/rotate.ts';
import { getOwnKey } from './keys/self.ts';
import { updateKey } from './keys/update.ts';
import { getRequest } from './requests/get.ts';
import { listRequests } from './requests/list.ts';
import { getHealth } from './service/health.ts';
import { getServiceInformation } from './service/information.ts';
import { getOpenApiJson, getOpenApiYaml } from './service/openapi-document.ts';
import { getReadiness } from './service/readiness.ts';
import { endOwnSession } from './sessions/end.ts';
import { endOtherSessions } from './sessions/end-others.ts';
import { listOwnSessions } from './sessions/list.ts';
import { createSuppression } from './suppressions/create.ts';
import { deleteSuppression } from './suppressions/delete.ts';
import { getSuppression } from './suppressions/get.ts';
import { listSuppressions } from './suppressions/list.ts';
import { inviteMember } from './team/invite.ts';
import { listTeam } from './team/list.ts';
import { removeMember } from './team/remove.ts';
import { updateMember } from './team/update.ts';
import { createTemplate } from './templates/create.ts';
import { deleteTemplate } from './templates/delete.ts';
import { discardTemplateDraft } from './templates/discard.ts';
import { listTemplateDrafts } from './templates/drafts.ts';
import { getTemplate } from './templates/get.ts';
import { listTemplates } from './templates/list.ts';
import { publishTemplate } from './templates/publish.ts';
import { renderTemplate } from './templates/render.ts';
import { testTemplate } from './templates/test.ts';
import { updateTemplate } from './templates/update.ts';
import { createTicket } from './tickets/create.ts';
import { getTicket } from './tickets/get.ts';
import { listTickets } from './tickets/list.ts';
import { replyToTicket } from './tickets/reply.ts';
import { checkBlocklist } from './tools/blocklist.ts';
import { checkDkim } from './tools/dkim.ts';
import { checkDmarc } from './tools/dmarc.ts';
import { checkInboxPlacement } from './tools/inbox-placement.ts';
import { listTools } from './tools/list.ts';
import { checkMx } from './tools/mx.ts';
import { checkSpf } from './tools/spf.ts';
import { tagLink } from './tools/utm.ts';
import { createWebhook } from './webhooks/create.ts';
import { deleteWebhook } from './webhooks/delete.ts';
import { listWebhookDeliveries } from './webhooks/deliveries.ts';
import { getWebhook } from './webhooks/get.ts';
import { listWebhooks } from './webhooks/list.ts';
import { replayWebhook } from './webhooks/replay.ts';
import { retryWebhookDelivery } from './webhooks/retry.ts';
import { rotateWebhook } from './webhooks/rotate.ts';
import { simulateWebhook } from './webhooks/simulate.ts';
import { streamWebhookEvents } from './webhooks/stream.ts';
import { testWebhook } from './webhooks/test.ts';
import { updateWebhook } from './webhooks/update.ts';

/** One handler an operation: an operation without one, or with a wrong output, does not compile. */
export const HANDLERS: { readonly [Id in CallableId]: Handler<Id> } = {
  'emails.send': sendEmail,
  'emails.send-batch': sendEmailBatch,
  'emails.cancel': cancelEmail,
  'emails.delete': deleteEmail,
  'emails.reschedule': rescheduleEmail,
  'emails.resend': resendEmail,
  'emails.list': listEmails,
  'emails.export': exportEmails,
  'emails.get': getEmail,
  'keys.self': getOwnKey,
  'keys.create': createKey,
  'keys.list': listKeys,
  'keys.get': getKey,
  'keys.update': updateKey,
  'keys.revoke': revokeKey,
  'keys.rotate': rotateKey,
  'keys.pause': pauseKey,
  'keys.resume': resumeKey,
  'approvals.list': listApprovals,
  'approvals.get': getApproval,
  'approvals.decide': decideApproval,
  'approvals.decide-many': decideApprovals,
  'requests.list': listRequests,
  'requests.get': getRequest,
  'suppressions.create': createSuppression,
  'suppressions.list': listSuppressions,
  'suppressions.get': getSuppression,
  'suppressions.delete': deleteSuppression,
  'account.get': getAccount,
  'account.update': updateAccount,
  'account.pause': pauseAccount,
  'account.resume': resumeAccount,
  'account.delete': deleteAccount,
  'account.stats': getAccountStats,
  'account.volume': getAccountVolume,
  'account.checklist': getAccountChecklist,
  'templates.create': createTemplate,
  'templates.list': listTemplates,
  'templates.get': getTemplate,
  'templates.update': updateTemplate,
  'templates.delete': deleteTemplate,
  'templates.render': renderTemplate,
  'templates.test': testTemplate,
  'templates.drafts': listTemplateDrafts,
  'templates.publish': publishTemplate,
  'templates.discard': discardTemplateDraft,
  'domains.create': createDomain,
  'domains.list': listDomains,
  'domains.history': listRemovedDomains,
  'domains.get': getDomain,
  'domains.records': getDomainRecords,
  'domains.verify': verifyDomain,
  'domains.restore': restoreDomain,
  'domains.delete': deleteDomain,
  'domains.rotate': rotateDomain,
  'tickets.create': createTicket,
  'tickets.list': listTickets,
  'tickets.get': getTicket,
  'tickets.reply': replyToTicket,
  'webhooks.create': createWebhook,
  'webhooks.list': listWebhooks,
  'webhooks.get': getWebhook,
  'webhooks.update': updateWebhook,
  'webhooks.delete': deleteWebhook,
  'webhooks.rotate': rotateWebhook,
  'webhooks.test': testWebhook,
  'webhooks.deliveries': listWebhookDeliveries,
  'webhooks.retry': retryWebhookDelivery,
  'webhooks.replay': replayWebhook,
  'webhooks.simulate': simulateWebhook,
  'webhooks.stream': streamWebhookEvents,
  'audit.list': listAuditEntries,
  'team.list': listTeam,
  'team.invite': inviteMember,
  'team.update': updateMember,
  'team.remove': removeMember,
  'auth.session': getSession,
  'auth.switch': switchSession,
  'auth.accounts': listSessionAccounts,
  'sessions.list': listOwnSessions,
  'sessions.end': endOwnSession,
  'sessions.end-others': endOtherSessions,
  'auth.magic-link': requestMagicLink,
  'auth.logout': logOut,
  'auth.device': startDevice,
  'auth.device-confirm': confirmDevice,
  'auth.device-token': takeDeviceToken,
  'tools.list': listTools,
  'tools.spf': checkSpf,
  'tools.dkim': checkDkim,
  'tools.dmarc': checkDmarc,
  'tools.mx': checkMx,
  'tools.blocklist': checkBlocklist,
  'tools.inbox-placement': checkInboxPlacement,
  'tools.utm': tagLink,
  'service.information': getServiceInformation,
  'service.health': getHealth,
  'service.readiness': getReadiness,
  'service.openapi-json': getOpenApiJson,
  'service.openapi-yaml': getOpenApiYaml,
};

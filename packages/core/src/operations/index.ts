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
import { showDevicePage } from './auth/device-page.ts';
import { takeDeviceToken } from './auth/device-token.ts';
import { logOut } from './auth/logout.ts';
import { requestMagicLink } from './auth/magic-link.ts';
import { startOAuth } from './auth/oauth.ts';
import { getSession } from './auth/session.ts';
import { switchSession } from './auth/switch.ts';
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
import { postMcp } from './service/mcp.ts';
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

/** The registry: the REST router, the OpenAPI document, the MCP tools, the SDK and the CLI are all made from this list. */
export const OPERATIONS = [
  sendEmail,
  sendEmailBatch,
  listEmails,
  exportEmails,
  getEmail,
  cancelEmail,
  deleteEmail,
  rescheduleEmail,
  resendEmail,
  getOwnKey,
  createKey,
  listKeys,
  getKey,
  updateKey,
  revokeKey,
  rotateKey,
  pauseKey,
  resumeKey,
  listApprovals,
  decideApprovals,
  getApproval,
  decideApproval,
  listRequests,
  getRequest,
  createSuppression,
  listSuppressions,
  getSuppression,
  deleteSuppression,
  getAccount,
  updateAccount,
  pauseAccount,
  resumeAccount,
  deleteAccount,
  getAccountStats,
  getAccountVolume,
  getAccountChecklist,
  createTemplate,
  listTemplates,
  getTemplate,
  updateTemplate,
  deleteTemplate,
  renderTemplate,
  testTemplate,
  listTemplateDrafts,
  publishTemplate,
  discardTemplateDraft,
  createDomain,
  listDomains,
  listRemovedDomains,
  getDomain,
  getDomainRecords,
  verifyDomain,
  rotateDomain,
  deleteDomain,
  restoreDomain,
  createTicket,
  listTickets,
  getTicket,
  replyToTicket,
  createWebhook,
  listWebhooks,
  simulateWebhook,
  streamWebhookEvents,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhook,
  testWebhook,
  listWebhookDeliveries,
  retryWebhookDelivery,
  replayWebhook,
  listAuditEntries,
  listTeam,
  inviteMember,
  updateMember,
  removeMember,
  getSession,
  switchSession,
  listSessionAccounts,
  listOwnSessions,
  endOwnSession,
  endOtherSessions,
  requestMagicLink,
  logOut,
  startOAuth,
  startDevice,
  showDevicePage,
  confirmDevice,
  takeDeviceToken,
  listTools,
  checkSpf,
  checkDkim,
  checkDmarc,
  checkMx,
  checkBlocklist,
  checkInboxPlacement,
  tagLink,
  getServiceInformation,
  getHealth,
  getReadiness,
  getOpenApiJson,
  getOpenApiYaml,
  postMcp,
] as const;

export type AnyOperation = (typeof OPERATIONS)[number];
export type OperationId = AnyOperation['id'];
export type OperationById<Id extends OperationId> = Extract<AnyOperation, { readonly id: Id }>;

/** Operations that take an input and give an output; `raw` ones speak a protocol of their own. */
export type CallableOperation = Exclude<AnyOperation, { readonly response: 'raw' }>;
export type CallableId = CallableOperation['id'];

const byId = new Map<string, AnyOperation>(OPERATIONS.map((operation) => [operation.id, operation]));

export function findOperation<Id extends OperationId>(id: Id): OperationById<Id> {
  // The map is keyed by the id of its value, which the type system cannot see.
  return byId.get(id) as OperationById<Id>;
}

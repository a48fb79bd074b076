import { surfaceEntries, type ToolName } from '../surface.ts';
import type { Tool, ToolMaker } from '../tool.ts';
import { addSuppressionTool } from './add-suppression.ts';
import { cancelEmailTool } from './cancel-email.ts';
import { checkBlocklistTool } from './check-blocklist.ts';
import { checkDkimTool } from './check-dkim.ts';
import { checkDmarcTool } from './check-dmarc.ts';
import { checkInboxPlacementTool } from './check-inbox-placement.ts';
import { checkMxTool } from './check-mx.ts';
import { checkRecipientsTool } from './check-recipients.ts';
import { checkServiceTool } from './check-service.ts';
import { checkSpfTool } from './check-spf.ts';
import { createDomainTool } from './create-domain.ts';
import { createKeyTool } from './create-key.ts';
import { createTemplateTool } from './create-template.ts';
import { createTicketTool } from './create-ticket.ts';
import { createWebhookTool } from './create-webhook.ts';
import { deleteAccountTool } from './delete-account.ts';
import { deleteDomainTool } from './delete-domain.ts';
import { deleteTemplateTool } from './delete-template.ts';
import { deleteWebhookTool } from './delete-webhook.ts';
import { discardTemplateDraftTool } from './discard-template-draft.ts';
import { exportEmailsTool } from './export-emails.ts';
import { getAccountTool } from './get-account.ts';
import { getApprovalTool } from './get-approval.ts';
import { getChecklistTool } from './get-checklist.ts';
import { getDomainTool } from './get-domain.ts';
import { getDomainRecordsTool } from './get-domain-records.ts';
import { getEmailTool } from './get-email.ts';
import { getKeyTool } from './get-key.ts';
import { getRequestTool } from './get-request.ts';
import { getSendingContextTool } from './get-sending-context.ts';
import { getStatsTool } from './get-stats.ts';
import { getSuppressionTool } from './get-suppression.ts';
import { getTemplateTool } from './get-template.ts';
import { getTicketTool } from './get-ticket.ts';
import { getVolumeTool } from './get-volume.ts';
import { getWebhookTool } from './get-webhook.ts';
import { inviteMemberTool } from './invite-member.ts';
import { listApprovalsTool } from './list-approvals.ts';
import { listAuditEntriesTool } from './list-audit-entries.ts';
import { listChecksTool } from './list-checks.ts';
import { listDomainsTool } from './list-domains.ts';
import { listEmailsTool } from './list-emails.ts';
import { listKeysTool } from './list-keys.ts';
import { listRemovedDomainsTool } from './list-removed-domains.ts';
import { listRequestsTool } from './list-requests.ts';
import { listSuppressionsTool } from './list-suppressions.ts';
import { listTeamTool } from './list-team.ts';
import { listTemplateDraftsTool } from './list-template-drafts.ts';
import { listTemplatesTool } from './list-templates.ts';
import { listTicketsTool } from './list-tickets.ts';
import { listWebhookDeliveriesTool } from './list-webhook-deliveries.ts';
import { listWebhooksTool } from './list-webhooks.ts';
import { pauseAccountTool } from './pause-account.ts';
import { pauseKeyTool } from './pause-key.ts';
import { previewEmailTool } from './preview-email.ts';
import { removeMemberTool } from './remove-member.ts';
import { removeSuppressionTool } from './remove-suppression.ts';
import { renderTemplateTool } from './render-template.ts';
import { replayWebhookTool } from './replay-webhook.ts';
import { replyToTicketTool } from './reply-to-ticket.ts';
import { rescheduleEmailTool } from './reschedule-email.ts';
import { resendEmailTool } from './resend-email.ts';
import { restoreDomainTool } from './restore-domain.ts';
import { resumeAccountTool } from './resume-account.ts';
import { resumeKeyTool } from './resume-key.ts';
import { retryWebhookDeliveryTool } from './retry-webhook-delivery.ts';
import { revokeKeyTool } from './revoke-key.ts';
import { rotateDomainKeyTool } from './rotate-domain-key.ts';
import { rotateKeyTool } from './rotate-key.ts';
import { rotateWebhookTool } from './rotate-webhook.ts';
import { sendEmailTool } from './send-email.ts';
import { sendEmailBatchTool } from './send-email-batch.ts';
import { simulateWebhookTool } from './simulate-webhook.ts';
import { tagLinkTool } from './tag-link.ts';
import { testTemplateTool } from './test-template.ts';
import { testWebhookTool } from './test-webhook.ts';
import { updateAccountTool } from './update-account.ts';
import { updateKeyTool } from './update-key.ts';
import { updateMemberTool } from './update-member.ts';
import { updateTemplateTool } from './update-template.ts';
import { updateWebhookTool } from './update-webhook.ts';
import { verifyDomainTool } from './verify-domain.ts';
import { waitForEmailTool } from './wait-for-email.ts';

const MAKERS: Readonly<Record<ToolName, ToolMaker>> = {
  get_sending_context: getSendingContextTool,
  preview_email: previewEmailTool,
  check_recipients: checkRecipientsTool,
  send_email: sendEmailTool,
  send_email_batch: sendEmailBatchTool,
  wait_for_email: waitForEmailTool,
  get_email: getEmailTool,
  list_emails: listEmailsTool,
  cancel_email: cancelEmailTool,
  resend_email: resendEmailTool,
  reschedule_email: rescheduleEmailTool,
  list_templates: listTemplatesTool,
  get_template: getTemplateTool,
  render_template: renderTemplateTool,
  create_template: createTemplateTool,
  update_template: updateTemplateTool,
  list_template_drafts: listTemplateDraftsTool,
  discard_template_draft: discardTemplateDraftTool,
  delete_template: deleteTemplateTool,
  test_template: testTemplateTool,
  list_suppressions: listSuppressionsTool,
  get_suppression: getSuppressionTool,
  add_suppression: addSuppressionTool,
  remove_suppression: removeSuppressionTool,
  list_domains: listDomainsTool,
  get_domain: getDomainTool,
  get_domain_records: getDomainRecordsTool,
  create_domain: createDomainTool,
  verify_domain: verifyDomainTool,
  rotate_domain_key: rotateDomainKeyTool,
  delete_domain: deleteDomainTool,
  list_removed_domains: listRemovedDomainsTool,
  restore_domain: restoreDomainTool,
  get_account: getAccountTool,
  update_account: updateAccountTool,
  get_stats: getStatsTool,
  get_volume: getVolumeTool,
  get_checklist: getChecklistTool,
  pause_account: pauseAccountTool,
  resume_account: resumeAccountTool,
  delete_account: deleteAccountTool,
  list_audit_entries: listAuditEntriesTool,
  list_keys: listKeysTool,
  get_key: getKeyTool,
  create_key: createKeyTool,
  update_key: updateKeyTool,
  rotate_key: rotateKeyTool,
  pause_key: pauseKeyTool,
  resume_key: resumeKeyTool,
  revoke_key: revokeKeyTool,
  list_approvals: listApprovalsTool,
  get_approval: getApprovalTool,
  list_team: listTeamTool,
  invite_member: inviteMemberTool,
  update_member: updateMemberTool,
  remove_member: removeMemberTool,
  list_tickets: listTicketsTool,
  list_webhooks: listWebhooksTool,
  get_webhook: getWebhookTool,
  update_webhook: updateWebhookTool,
  delete_webhook: deleteWebhookTool,
  create_webhook: createWebhookTool,
  rotate_webhook: rotateWebhookTool,
  test_webhook: testWebhookTool,
  list_webhook_deliveries: listWebhookDeliveriesTool,
  retry_webhook_delivery: retryWebhookDeliveryTool,
  replay_webhook: replayWebhookTool,
  simulate_webhook: simulateWebhookTool,
  get_ticket: getTicketTool,
  create_ticket: createTicketTool,
  reply_to_ticket: replyToTicketTool,
  list_requests: listRequestsTool,
  get_request: getRequestTool,
  check_spf: checkSpfTool,
  check_dkim: checkDkimTool,
  check_dmarc: checkDmarcTool,
  check_mx: checkMxTool,
  check_blocklist: checkBlocklistTool,
  check_inbox_placement: checkInboxPlacementTool,
  tag_link: tagLinkTool,
  export_emails: exportEmailsTool,
  list_checks: listChecksTool,
  check_service: checkServiceTool,
};

/**
 * Every tool there is, those of all toolsets. Made once: the definitions are the same for every request, and converting the schemas anew
 * for each listing would cost more than the rest of the request.
 */
export const TOOLS: readonly Tool[] = surfaceEntries().map((placed) => MAKERS[placed.entry.tool](placed));

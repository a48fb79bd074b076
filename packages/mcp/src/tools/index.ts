import { DEFAULT_TOOLSET, type SurfaceEntry, type ToolName } from '../surface.ts';
import type { Tool } from '../tool.ts';
import { cancelEmailTool } from './cancel-email.ts';
import { checkRecipientsTool } from './check-recipients.ts';
import { getEmailTool } from './get-email.ts';
import { getSendingContextTool } from './get-sending-context.ts';
import { getTemplateTool } from './get-template.ts';
import { listEmailsTool } from './list-emails.ts';
import { listSuppressionsTool } from './list-suppressions.ts';
import { listTemplatesTool } from './list-templates.ts';
import { previewEmailTool } from './preview-email.ts';
import { renderTemplateTool } from './render-template.ts';
import { resendEmailTool } from './resend-email.ts';
import { sendEmailTool } from './send-email.ts';
import { sendEmailBatchTool } from './send-email-batch.ts';
import { waitForEmailTool } from './wait-for-email.ts';

const MAKERS: Readonly<Record<ToolName, (entry: SurfaceEntry) => Tool>> = {
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
  list_templates: listTemplatesTool,
  get_template: getTemplateTool,
  render_template: renderTemplateTool,
  list_suppressions: listSuppressionsTool,
};

/**
 * Every tool of the default toolset. Made once: the definitions are the same for every request, and converting the schemas anew for each
 * listing would cost more than the rest of the request.
 */
export const TOOLS: readonly Tool[] = DEFAULT_TOOLSET.map((entry) => MAKERS[entry.tool](entry));

import { DEFAULT_TOOLSET, type SurfaceEntry, type ToolName } from '../surface.ts';
import type { Tool } from '../tool.ts';
import { getEmailTool } from './get-email.ts';
import { listEmailsTool } from './list-emails.ts';
import { sendEmailTool } from './send-email.ts';
import { waitForEmailTool } from './wait-for-email.ts';

const MAKERS: Readonly<Record<ToolName, (entry: SurfaceEntry) => Tool>> = {
  send_email: sendEmailTool,
  wait_for_email: waitForEmailTool,
  get_email: getEmailTool,
  list_emails: listEmailsTool,
};

/**
 * Every tool of the default toolset. Made once: the definitions are the same for every request, and converting the schemas anew for each
 * listing would cost more than the rest of the request.
 */
export const TOOLS: readonly Tool[] = DEFAULT_TOOLSET.map((entry) => MAKERS[entry.tool](entry));

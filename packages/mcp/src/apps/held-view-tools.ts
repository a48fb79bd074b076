import type { McpServer, Tool as ToolDefinition } from '@modelcontextprotocol/server';
import type { CallerFacts, ToolName } from '@postrider/core';
import type { Tool } from '../tool.ts';
import { HELD_VIEW_URI } from './held-view-resource.ts';
import { READ_HELD_SEND } from './read-held-send.ts';
import { showsApps } from './ui-extension.ts';

/** The tools whose results can be held sends, or the wait for one. */
export const HELD_VIEW_TOOLS: ReadonlySet<string> = new Set<ToolName>([
  'send_email',
  'send_email_batch',
  'resend_email',
  'test_template',
  'wait_for_email',
  'get_approval',
]);
/** Of these, the ones that can show a hold to a key that is not in approval mode: holds of other keys. */
const SHOWN_FOR_EVERY_KEY: ReadonlySet<string> = new Set<ToolName>(['resend_email', 'get_approval']);

/** Whether the client shows the view for results of this tool that are held. */
export function showsHeldView(mcp: McpServer, { definition }: Tool): boolean {
  return HELD_VIEW_TOOLS.has(definition.name) && showsApps(mcp);
}

/**
 * The tools as a client with the view sees them. Only the model may call them: the frame of the view may call nothing but the tool that reads
 * a held send, which the model does not see. The client enforces that.
 * @param facts of the key; the sends of a key that is not in approval mode are not held, so they get no frame
 */
export function withHeldView(tools: readonly Tool[], facts: CallerFacts | null): ToolDefinition[] {
  const shownFor = facts === null || facts.isHeld ? HELD_VIEW_TOOLS : SHOWN_FOR_EVERY_KEY;
  const forModel = tools.map(({ definition }) => {
    const view = shownFor.has(definition.name) ? { resourceUri: HELD_VIEW_URI } : {};
    return { ...definition, _meta: { ui: { ...view, visibility: ['model'] } } };
  });
  return [...forModel, READ_HELD_SEND.definition];
}

import {
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Tool } from './tool.ts';

/** Of the one thing that a client is asked for. */
const QUESTION = 'approval_page';

/**
 * The answer to a held send with the page where a person decides. A client that can open an address for its user is asked to, once; whatever
 * becomes of that, what follows is the answer itself, since a form or a click in the agent's own client approves nothing. To every other
 * client the address is words in the answer.
 * @param pageOf the page of a hold; people sign in there
 */
export function offerApprovalPage(
  mcp: McpServer,
  { mcpReq }: ServerContext,
  tool: Tool,
  result: CallToolResult,
  pageOf: (approvalId: string) => string,
): CallToolResult | InputRequiredResult {
  const hold = tool.operation.effect === 'send' ? holdOf(result) : null;
  if (hold === null) return result;
  const url = pageOf(hold.approvalId);
  const wasAsked =
    inputResponse(mcpReq.inputResponses, QUESTION).kind !== 'missing' || mcpReq.requestState() === hold.id;
  if (!wasAsked && mcp.server.getClientCapabilities()?.elicitation?.url !== undefined) {
    const message = 'Postrider holds this email until a person approves it. Open the page to read and decide.';
    // The second call is known by the message it made, and not told of as a duplicate.
    return inputRequired({
      inputRequests: { [QUESTION]: inputRequired.elicitUrl({ message, url }) },
      requestState: hold.id,
    });
  }
  return withNote(wasAsked ? withoutDuplicate(result) : result, `A person decides here, signed in: ${url}`);
}

function holdOf({ structuredContent }: CallToolResult): { readonly id: string; readonly approvalId: string } | null {
  const { id, approvalId, status } = fieldsOf(structuredContent);
  if (status !== 'pending_approval' || typeof id !== 'string' || typeof approvalId !== 'string') return null;
  return { id, approvalId };
}

function withNote(result: CallToolResult, note: string): CallToolResult {
  const fields = fieldsOf(result.structuredContent);
  const notes = Array.isArray(fields['notes']) ? fields['notes'] : [];
  const content = result.content.map((block) =>
    block.type === 'text' ? { ...block, text: `${block.text}\nNote: ${note}` } : block,
  );
  return { ...result, content, structuredContent: { ...fields, notes: [...notes, note] } };
}

/** The call was made again only to answer the question: the first message is this call's own. */
function withoutDuplicate(result: CallToolResult): CallToolResult {
  const { deduplicated: _own, notes, ...rest } = fieldsOf(result.structuredContent);
  const isOfReplay = (note: unknown) => typeof note === 'string' && REPLAYED.test(note);
  const kept = Array.isArray(notes) ? notes.filter((note) => !isOfReplay(note)) : [];
  const content = result.content.map((block) => {
    if (block.type !== 'text') return block;
    const lines = block.text.split('\n').filter((text) => !(text.startsWith('Note: ') && isOfReplay(text)));
    return { ...block, text: lines.join('\n') };
  });
  return { ...result, content, structuredContent: { ...rest, notes: kept } };
}

const REPLAYED = /this is (?:that first message|the first answer) again, and nothing was sent twice/;

function fieldsOf(structured: unknown): Readonly<Record<string, unknown>> {
  return typeof structured === 'object' && structured !== null ? { ...structured } : {};
}

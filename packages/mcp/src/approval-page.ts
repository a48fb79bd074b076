import { setTimeout as delay } from 'node:timers/promises';
import {
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { showsHeldView } from './apps/held-view-tools.ts';
import { isReplayNote } from './duplicate-guard.ts';
import type { Tool } from './tool.ts';

/** The only action requested of a client. */
const QUESTION = 'approval_page';

/** The maximum number of pages in a result, as many as a user would open individually; `list_approvals` has the rest. */
const PAGES_MAX = 10;

/** A send that waits for an approver. */
export interface Hold {
  /** The message id. */
  readonly id: string;
  readonly approvalId: string;
}

/** How a hold's page is offered. */
export interface ApprovalPages {
  /** The URL of a hold's page, where an approver signs in. */
  readonly pageOf: (approvalId: string) => string;
  /** Reports to the client of a session that a hold needs no decision any more. */
  readonly awaitDecision?: (approvalId: string) => Promise<void>;
  /** How long a call waits for the client's response. */
  readonly askedMs?: number;
}

/** Clients end a call after 60 s by default; the page stays open, and the result names it. */
const ASKED_MS = 30_000;

/**
 * A result that shows held sends, with the pages where an approver decides. After a send, a client that can open URLs is asked once to open
 * the page (for a batch, that of the first hold). Its reply does not matter, because nothing in the agent's client can approve a send.
 * Other clients, and reads, get the URLs as text.
 */
export async function offerApprovalPage(
  mcp: McpServer,
  { mcpReq }: ServerContext,
  tool: Tool,
  result: CallToolResult,
  pages: ApprovalPages,
): Promise<CallToolResult | InputRequiredResult> {
  const { pageOf } = pages;
  const holds = holdsOf(tool, result);
  const [first] = holds;
  if (first === undefined) return result;
  const wasAsked =
    inputResponse(mcpReq.inputResponses, QUESTION).kind !== 'missing' || mcpReq.requestState() === first.id;
  // The user was already asked for an existing message: agents may repeat a send immediately.
  const isNew = fieldsOf(result.structuredContent)['deduplicated'] !== true;
  // A client that shows the view of the held send has a button to the page there.
  const asks = tool.operation.effect === 'send' && !wasAsked && isNew && !showsHeldView(mcp, tool);
  const opensUrls = mcp.server.getClientCapabilities()?.elicitation?.url !== undefined;
  if (asks && opensUrls && isOf2025(mcp)) {
    await askNow(mcp, mcpReq, { approvalId: first.approvalId, message: questionOf(holds.length) }, pages);
  } else if (asks && opensUrls) {
    // The repeated call is recognized by the message that the first one created, and is not reported as a duplicate.
    return inputRequired({
      inputRequests: {
        [QUESTION]: inputRequired.elicitUrl({ message: questionOf(holds.length), url: pageOf(first.approvalId) }),
      },
      requestState: first.id,
    });
  }
  return withNote(wasAsked ? withoutDuplicate(result) : result, noteOf(holds, pageOf));
}

/** The revisions before 2026-07-28, in which the server sends requests to the client. */
function isOf2025(mcp: McpServer): boolean {
  return (mcp.server.getNegotiatedProtocolVersion() ?? '') < '2026';
}

/**
 * Asks the client to open the page while the call runs. The message is held already, so whatever the client responds, and if it does not, the
 * result is the same.
 */
async function askNow(
  mcp: McpServer,
  { id, signal }: ServerContext['mcpReq'],
  { approvalId, message }: { readonly approvalId: string; readonly message: string },
  { pageOf, awaitDecision, askedMs = ASKED_MS }: ApprovalPages,
): Promise<void> {
  await awaitDecision?.(approvalId).catch(() => {});
  const asked = { mode: 'url', message, url: pageOf(approvalId), elicitationId: approvalId } as const;
  // The request itself has more time than the call waits: a client that was told of a timeout would close the question.
  const options = { relatedRequestId: id, timeout: 20 * askedMs, signal };
  const waited = new AbortController();
  const response = mcp.server.elicitInput(asked, options).catch(() => {});
  const late = delay(askedMs, undefined, { signal: waited.signal, ref: false }).catch(() => {});
  await Promise.race([response, late]);
  waited.abort();
}

function questionOf(count: number): string {
  return count === 1
    ? 'Postrider holds this email until an approver approves it. Open the page to read and decide.'
    : `Postrider holds ${count} of these emails until an approver approves them. Open the page of the first one to read and decide; the result names the others.`;
}

function noteOf(holds: readonly Hold[], pageOf: (approvalId: string) => string): string {
  const pages = holds.slice(0, PAGES_MAX).map(({ approvalId }) => pageOf(approvalId));
  const more = holds.length > PAGES_MAX ? `, and ${holds.length - PAGES_MAX} more: ${MORE}` : '';
  return pages.length === 1
    ? `An approver decides here, signed in: ${pages[0]}`
    : `An approver decides here, signed in, each on its page: ${pages.join(' , ')}${more}`;
}

const MORE = 'list_approvals of the toolset approvals lists them all';

/** The pending holds in the result: of a send, of a batch, or of a message that was read. */
export function holdsOf(tool: Tool, { structuredContent }: CallToolResult): readonly Hold[] {
  const record = fieldsOf(structuredContent);
  if (tool.operation.id === 'approvals.get') {
    const { id, emailId, status } = record;
    return status === 'pending' ? toHolds([{ id: emailId, approvalId: id }]) : [];
  }
  const rows = tool.operation.id === 'emails.send-batch' ? record['results'] : [record];
  if (!Array.isArray(rows)) return [];
  const held = rows.map(fieldsOf).filter(({ status }) => status === 'pending_approval');
  // A send returns `approvalId`; a message that was read has the hold in `approval`.
  return toHolds(
    held.map(({ id, approvalId, approval }) => ({ id, approvalId: approvalId ?? fieldsOf(approval)['id'] })),
  );
}

function toHolds(rows: readonly { readonly id: unknown; readonly approvalId: unknown }[]): readonly Hold[] {
  return rows.flatMap(({ id, approvalId }) =>
    typeof id === 'string' && typeof approvalId === 'string' ? [{ id, approvalId }] : [],
  );
}

function withNote(result: CallToolResult, note: string): CallToolResult {
  const fields = fieldsOf(result.structuredContent);
  const notes = Array.isArray(fields['notes']) ? fields['notes'] : [];
  const content = result.content.map((block) =>
    block.type === 'text' ? { ...block, text: `${block.text}\nNote: ${note}` } : block,
  );
  return { ...result, content, structuredContent: { ...fields, notes: [...notes, note] } };
}

/** The client repeated the call only to reply to the question, so the first message is this call's own. */
function withoutDuplicate(result: CallToolResult): CallToolResult {
  const { deduplicated: _own, notes, ...rest } = fieldsOf(result.structuredContent);
  const isOfReplay = (note: unknown) => typeof note === 'string' && isReplayNote(note);
  const kept = Array.isArray(notes) ? notes.filter((note) => !isOfReplay(note)) : [];
  const content = result.content.map((block) => {
    if (block.type !== 'text') return block;
    const lines = block.text.split('\n').filter((text) => !(text.startsWith('Note: ') && isOfReplay(text)));
    return { ...block, text: lines.join('\n') };
  });
  return { ...result, content, structuredContent: { ...rest, notes: kept } };
}

function fieldsOf(structured: unknown): Readonly<Record<string, unknown>> {
  return typeof structured === 'object' && structured !== null ? { ...structured } : {};
}

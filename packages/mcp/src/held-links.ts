import type { CallToolResult, McpServer, ResourceLink, ServerContext } from '@modelcontextprotocol/server';
import type { Hold } from './approval-page.ts';
import { resourceUri } from './resources/resource-kinds.ts';

/** The first revision with links in results. Clients of earlier ones reject a whole result for a block that they do not know. */
const LINKS_SINCE = '2025-06-18';

/** As many as the note of a result names pages. */
const HOLDS_MAX = 10;

/** Where the view of held sends finds their pages: the addresses that the note has too. */
const PAGES_META_KEY = 'io.github.postrider/approvalPages';

/** A result with a link to each held send, which a client can read, and watch until it is decided. */
export function linkHeldSends(result: CallToolResult, holds: readonly Hold[]): CallToolResult {
  const links = holds.slice(0, HOLDS_MAX).map(({ approvalId }): ResourceLink => {
    return {
      type: 'resource_link',
      uri: resourceUri('approvals', approvalId),
      name: approvalId,
      // Not the subject: anyone can write one, and a link has no fence.
      title: 'Held send',
      mimeType: 'text/plain',
    };
  });
  return links.length === 0 ? result : { ...result, content: [...result.content, ...links] };
}

/** A result with the address of the page of each held send, for the view. */
export function addPages(
  result: CallToolResult,
  holds: readonly Hold[],
  pageOf: (approvalId: string) => string,
): CallToolResult {
  if (holds.length === 0) return result;
  const pages = holds.slice(0, HOLDS_MAX).map(({ approvalId }) => [approvalId, pageOf(approvalId)]);
  return { ...result, _meta: { ...result._meta, [PAGES_META_KEY]: Object.fromEntries(pages) } };
}

/** Whether the client knows links in results. */
export function knowsLinks({ server }: McpServer, { mcpReq, http }: ServerContext): boolean {
  if (mcpReq.envelope !== undefined) return true;
  // Without a session, the header of each request has the revision. Clients of revisions before the header send none.
  const revision = server.getNegotiatedProtocolVersion() ?? http?.req?.headers.get('mcp-protocol-version');
  return typeof revision === 'string' && revision >= LINKS_SINCE;
}

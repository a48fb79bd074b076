import type { ClientCapabilities, McpServer } from '@modelcontextprotocol/server';

const UI_EXTENSION = 'io.modelcontextprotocol/ui';
export const UI_MIME_TYPE = 'text/html;profile=mcp-app';

/** What a client declares that has MCP Apps (SEP-1865): it shows a page of the server in a sandboxed frame. */
export const APPS_EXTENSION = { [UI_EXTENSION]: { mimeTypes: [UI_MIME_TYPE] } };

export function declaresApps({ extensions }: ClientCapabilities): boolean {
  const types = extensions?.[UI_EXTENSION]?.['mimeTypes'];
  return Array.isArray(types) && types.includes(UI_MIME_TYPE);
}

/**
 * Whether the client shows such pages. It declares that in `initialize`, or in every request of protocol 2026-07-28; a connection without a
 * session forgets an `initialize`, and is one without the extension.
 */
export function showsApps({ server }: McpServer): boolean {
  return declaresApps(server.getClientCapabilities() ?? {});
}

import { type McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Scope } from '@postrider/core';
import { HELD_VIEW_RESOURCE, readHeldView } from '../apps/held-view-resource.ts';
import { showsApps } from '../apps/ui-extension.ts';
import { isVisible } from '../surface.ts';
import { stripInvisible, toOneLine } from '../untrusted-text.ts';
import { newestOf } from './find-ids.ts';
import { type ResourceCall, readerOf, readResource } from './read-resource.ts';
import { RESOURCE_KINDS, type ResourceKind, resourceUri, uriTemplateOf } from './resource-kinds.ts';

/** How the resources of a connection are watched, if it can receive notifications. */
export interface ResourceSubscriptions {
  readonly subscribe: (uri: string) => void | Promise<void>;
  readonly unsubscribe: (uri: string) => void | Promise<void>;
}

export interface ResourceSettings {
  readonly scopes: readonly Scope[] | null;
  readonly callOf: (signal: AbortSignal) => ResourceCall;
  /** True if changes can be pushed: over `subscriptions/listen`, or on a connection that stays open. */
  readonly canNotify: boolean;
  /** For clients of the 2025 protocol on a connection that stays open. */
  readonly subscriptions: ResourceSubscriptions | null;
}

/** Sets the resource handlers without the library's own registration, for the same reasons as for tools. */
export function setResourceHandlers(mcp: McpServer, settings: ResourceSettings): void {
  const { server } = mcp;
  const { scopes, callOf, canNotify, subscriptions } = settings;
  const kinds = RESOURCE_KINDS.filter((kind) => readerOf(kind) !== undefined && isVisible(kind.scope, scopes));
  server.registerCapabilities({ resources: canNotify ? { subscribe: true } : {} });
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: kinds.map(toTemplate) }));
  // Messages are too many to list, and list_emails finds them; templates and pending approvals are what users select.
  server.setRequestHandler('resources/list', async (_request, { mcpReq }) => {
    const listed = kinds.filter(({ name }) => name !== 'messages');
    const lists = await Promise.all(listed.map((kind) => listKind(kind, callOf(mcpReq.signal))));
    return { resources: [...(showsApps(mcp) ? [HELD_VIEW_RESOURCE] : []), ...lists.flat()] };
  });
  server.setRequestHandler('resources/read', async ({ params }, { mcpReq }) => ({
    contents: [readHeldView(params.uri) ?? (await readResource(params.uri, callOf(mcpReq.signal)))],
  }));
  if (subscriptions === null) return;
  server.setRequestHandler('resources/subscribe', async ({ params }, { mcpReq }) => {
    // What cannot be read cannot be watched, and gets the same refusal.
    await readResource(params.uri, callOf(mcpReq.signal));
    try {
      await subscriptions.subscribe(params.uri);
    } catch (error) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, error instanceof Error ? error.message : String(error));
    }
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', async ({ params }) => {
    await subscriptions.unsubscribe(params.uri);
    return {};
  });
}

function toTemplate(kind: ResourceKind) {
  const { title, description, name } = kind;
  return { name, title, description, uriTemplate: uriTemplateOf(kind), mimeType: 'text/plain' };
}

async function listKind({ name }: ResourceKind, call: ResourceCall) {
  const named = await newestOf(name, call);
  return named.map(({ id, title }) => ({
    uri: resourceUri(name, id),
    name: id,
    // Anyone can write a subject or name, and a list has no fence.
    title: toOneLine(stripInvisible(title)).slice(0, 100),
    mimeType: 'text/plain',
  }));
}

import type { Scope } from '@postrider/core';
import { parseResourceUri } from './resources/resource-kinds.ts';
import { SURFACE, scopeOf } from './surface.ts';

const SCOPE_OF_TOOL: ReadonlyMap<string, Scope | null> = new Map(SURFACE.map((entry) => [entry.tool, scopeOf(entry)]));

/** The scopes that the tools and resources named by a JSON-RPC body need and the caller lacks. */
export function missingScopesOf(body: unknown, scopes: readonly Scope[]): readonly Scope[] {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
  const needed = messages.flatMap((message) => neededScope(message) ?? []);
  return [...new Set(needed)].filter((scope) => !scopes.includes(scope));
}

function neededScope(message: unknown): Scope | null {
  if (!isRecord(message) || !isRecord(message['params'])) return null;
  const { name, uri } = message['params'];
  if (message['method'] === 'tools/call') return (typeof name === 'string' ? SCOPE_OF_TOOL.get(name) : null) ?? null;
  const isRead = message['method'] === 'resources/read' || message['method'] === 'resources/subscribe';
  return isRead && typeof uri === 'string' ? (parseResourceUri(uri)?.kind.scope ?? null) : null;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

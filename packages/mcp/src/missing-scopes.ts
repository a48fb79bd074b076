import { type CallerFacts, findOperation, refusedKind, type Scope } from '@postrider/core';
import { parseResourceUri } from './resources/resource-kinds.ts';
import { SURFACE, scopeOf } from './surface.ts';

const TOOLS = new Map<string, { readonly scope: Scope | null; readonly operation: ReturnType<typeof findOperation> }>(
  SURFACE.map((entry) => [entry.tool, { scope: scopeOf(entry), operation: findOperation(entry.operation) }]),
);

/**
 * The scopes that the tools and resources named by a JSON-RPC body need and the caller lacks. A call that this kind of caller may not make
 * anyway needs none: the user would be asked for a scope that has no effect.
 */
export function missingScopesOf(body: unknown, scopes: readonly Scope[], facts: CallerFacts): readonly Scope[] {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
  const needed = messages.flatMap((message) => neededScope(message, facts) ?? []);
  return [...new Set(needed)].filter((scope) => !scopes.includes(scope));
}

function neededScope(message: unknown, facts: CallerFacts): Scope | null {
  if (!isRecord(message) || !isRecord(message['params'])) return null;
  const { name, uri } = message['params'];
  if (message['method'] === 'tools/call') {
    const tool = typeof name === 'string' ? TOOLS.get(name) : undefined;
    return tool === undefined || refusedKind(tool.operation, facts) !== null ? null : tool.scope;
  }
  const isRead = message['method'] === 'resources/read' || message['method'] === 'resources/subscribe';
  return isRead && typeof uri === 'string' ? (parseResourceUri(uri)?.kind.scope ?? null) : null;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

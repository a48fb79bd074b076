import type { Scope } from '@postrider/core';
import { SURFACE, scopeOf } from './surface.ts';

const SCOPE_OF_TOOL: ReadonlyMap<string, Scope | null> = new Map(SURFACE.map((entry) => [entry.tool, scopeOf(entry)]));

/** The scopes that the tools called by a JSON-RPC body need and the caller lacks. */
export function missingScopesOf(body: unknown, scopes: readonly Scope[]): readonly Scope[] {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
  const needed = messages.flatMap((message) => SCOPE_OF_TOOL.get(calledTool(message) ?? '') ?? []);
  return [...new Set(needed)].filter((scope) => !scopes.includes(scope));
}

function calledTool(message: unknown): string | null {
  if (!isRecord(message) || message['method'] !== 'tools/call' || !isRecord(message['params'])) return null;
  const { name } = message['params'];
  return typeof name === 'string' ? name : null;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

import type { Child } from '../parts/child.ts';
import type { ClientsQuestion, Sent } from './clients-process.ts';

const REVISION = '2025-11-25';

/** An account with a key that is held, one that decides, and its undecided holds. */
export interface Group {
  readonly agentKey: string;
  readonly deciderKey: string;
  readonly holds: readonly string[];
}

/** Opens `each` sessions of every agent, which subscribe to all of its holds. Returns the requests that open their streams. */
export async function subscribeSessions(
  clients: Child<unknown>,
  port: number,
  groups: readonly Group[],
  each: number,
): Promise<readonly Sent[]> {
  const owners = groups.flatMap((group) => Array.from({ length: each }, () => group));
  const hello = { protocolVersion: REVISION, capabilities: {}, clientInfo: { name: 'bench', version: '1.0.0' } };
  const initialize = owners.map(({ agentKey }) => post(port, agentKey, {}, 'initialize', hello));
  const ids = await clients.ask<readonly string[]>({ kind: 'send', sent: initialize } satisfies ClientsQuestion);
  const subscribe = owners.flatMap(({ agentKey, holds }, index) =>
    holds.map((hold) =>
      post(port, agentKey, inSession(ids[index] ?? ''), 'resources/subscribe', { uri: `email://approvals/${hold}` }),
    ),
  );
  await clients.ask({ kind: 'send', sent: subscribe } satisfies ClientsQuestion);
  return owners.map(({ agentKey }, index) => ({
    ...{ port, method: 'GET', path: '/mcp' },
    headers: { ...bearer(agentKey), ...inSession(ids[index] ?? ''), accept: 'text/event-stream' },
  }));
}

export function approve(port: number, { deciderKey }: Group, hold: string): Sent {
  const headers = { ...bearer(deciderKey), 'content-type': 'application/json' };
  return { port, method: 'POST', path: `/keys/approvals/${hold}`, headers, body: { decision: 'approve' } };
}

function post(
  port: number,
  key: string,
  session: Readonly<Record<string, string>>,
  method: string,
  params: object,
): Sent {
  const accepted = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
  return {
    ...{ port, method: 'POST', path: '/mcp', body: { jsonrpc: '2.0', id: 1, method, params } },
    headers: { ...bearer(key), ...accepted, ...session },
  };
}

function inSession(id: string): Readonly<Record<string, string>> {
  return { 'mcp-session-id': id, 'mcp-protocol-version': REVISION };
}

function bearer(key: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${key}` };
}

import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OperationById, OperationOutput, Problem } from '@postrider/core';

/** A request as the stand-in got it. */
export interface ReceivedRequest {
  readonly method: string;
  /** With the query string. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

export interface StandInResponse {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface StandInApi {
  readonly baseUrl: string;
  readonly requests: readonly ReceivedRequest[];
  close(): Promise<void>;
}

type OwnKey = OperationOutput<OperationById<'keys.self'>>;

/** An HTTP server on loopback that responds as the script says; null hangs up without a response. */
export async function startStandInApi(
  script: (request: ReceivedRequest) => StandInResponse | null,
): Promise<StandInApi> {
  const requests: ReceivedRequest[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const text = Buffer.concat(await incoming.toArray()).toString();
    const request: ReceivedRequest = {
      method: incoming.method ?? '',
      path: incoming.url ?? '',
      headers: incoming.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
    requests.push(request);
    const response = script(request);
    if (response === null) {
      incoming.socket.destroy();
      return;
    }
    const contentType = response.status < 400 ? 'application/json' : 'application/problem+json';
    outgoing.writeHead(response.status, { 'content-type': contentType, 'x-request-id': 'req-1', ...response.headers });
    outgoing.end(JSON.stringify(response.body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // A TCP server that listens has no other kind of address.
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    requests,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export function problemResponse(problem: Problem): StandInResponse {
  return { status: problem.status, body: problem };
}

export function ownKey(changes: Partial<OwnKey> = {}): OwnKey {
  return {
    id: '01980d3c-7a52-7c31-9d5e-2f0c6a1b4e03',
    name: 'agent',
    mode: 'live',
    prefix: 'pr_live_',
    last4: 'abcd',
    scopes: ['emails:send', 'emails:read'],
    sendingDomains: ['sandbox.test'],
    recipientAllowlist: null,
    client: null,
    rateLimit: 600,
    ipAllowlist: null,
    attachmentHosts: null,
    approvalMode: 'off',
    approvers: { requirePasskey: false, count: 1, memberIds: null },
    holdWhen: null,
    persona: null,
    lockPersona: false,
    sendLimit: null,
    sendsLeft: null,
    sendingPaused: null,
    pausedAt: null,
    createdAt: '2026-01-31T09:00:00.000Z',
    lastUsedAt: null,
    expiresAt: null,
    revokedAt: null,
    account: { id: '01980d3c-7a52-7c31-9d5e-2f0c6a1b4e04', name: 'Example' },
    quota: { limit: 1_000, used: 2, remaining: 998, resetsAt: '2026-02-01T00:00:00.000Z' },
    ...changes,
  };
}

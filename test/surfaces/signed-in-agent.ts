import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  ElicitationCompleteNotificationSchema,
  ElicitRequestSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';

/**
 * An agent with the official SDK client: it signs in with OAuth, sends one message, and waits until the server notifies it of the decision.
 * It never asks for it: every request to `/mcp` is printed. `node test/surfaces/signed-in-agent.ts <url of /mcp>`
 */
const url = new URL(process.argv[2] ?? 'http://localhost:8025/mcp');
const print = (text: string): void => void process.stdout.write(`${text}\n`);

const code = Promise.withResolvers<string>();
const listener = createServer((request, response) => {
  code.resolve(new URL(request.url ?? '/', 'http://localhost').searchParams.get('code') ?? '');
  response.end('Signed in. You can close this page.');
});
await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', () => resolve()));
const callback = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/callback`; // A TCP server has no other kind of address.

let information: OAuthClientInformationMixed | undefined;
let tokens: OAuthTokens | undefined;
let verifier = '';
const provider: OAuthClientProvider = {
  redirectUrl: callback,
  clientMetadata: { client_name: 'Support agent', redirect_uris: [callback] },
  clientInformation: () => information,
  saveClientInformation: (given) => {
    information = given;
  },
  tokens: () => tokens,
  saveTokens: (given) => {
    tokens = given;
  },
  redirectToAuthorization: (authorization) => print(`Opening the browser: ${authorization}`),
  saveCodeVerifier: (given) => {
    verifier = given;
  },
  codeVerifier: () => verifier,
};

const client = new Client({ name: 'support-agent', version: '1.0.0' }, { capabilities: { elicitation: { url: {} } } });
const decided = Promise.withResolvers<void>();
client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
  print(`<- elicitation/create: ${params.message} ${'url' in params ? params.url : ''}`);
  return { action: 'accept' };
});
client.setNotificationHandler(ElicitationCompleteNotificationSchema, ({ method }) => print(`<- ${method}`));
client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ method, params }) => {
  print(`<- ${method}: ${params.uri}`);
  decided.resolve();
});

/** The methods of the requests, to show that nothing is polled. */
const fetchAloud: typeof fetch = async (input, init) => {
  const isCall = init?.method === 'POST' && String(input) === url.href;
  const sent = isCall && typeof init.body === 'string' ? JSON.parse(init.body) : {};
  if (typeof sent.method === 'string') print(`-> ${sent.method}${sent.params?.name ? ` ${sent.params.name}` : ''}`);
  return await fetch(input, init);
};

const newTransport = () => new StreamableHTTPClientTransport(url, { authProvider: provider, fetch: fetchAloud });
const first = newTransport();
try {
  // Under exactOptionalPropertyTypes the library's own transport does not fit its own interface (`sessionId`).
  await client.connect(first as Transport);
} catch (error) {
  if (!(error instanceof UnauthorizedError)) throw error;
  print('UnauthorizedError: waiting for the user');
}
await first.finishAuth(await code.promise);
listener.close();
print(`Signed in; the token ends in ${tokens?.expires_in} s`);
await client.connect(newTransport() as Transport);

const sent = await client.callTool({
  name: 'send_email',
  arguments: {
    ...{ from: 'ada@sandbox.test', to: 'delivered@sandbox.test' },
    ...{ subject: 'Refund of order 7', text: 'We have refunded 7 EUR.' },
  },
});
const { status, approvalId } = sent.structuredContent as { status: string; approvalId: string }; // The schema of the tool.
print(`status: ${status}`);
const uri = `email://approvals/${approvalId}`;
await client.subscribeResource({ uri });
print('Waiting.');
const waitedFromMs = Date.now();
await decided.promise;
print(`Notified ${((Date.now() - waitedFromMs) / 1_000).toFixed(1)} s after it began to wait`);
const { contents } = await client.readResource({ uri });
const [content] = contents;
print(content !== undefined && 'text' in content ? (content.text.split('\n')[0] ?? '') : 'no text');
await client.close();

import { createMcpHttpHandler } from '@postrider/mcp';
import { describe, expect, it } from 'vitest';
import { ID, sampleMessage } from './sample-messages.ts';
import { inSequence, scriptInvoke } from './scripted-invoke.ts';

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
const CALL = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'get_email', arguments: { id: ID } } };

function handler() {
  return createMcpHttpHandler({ version: '1.2.3', maxRequestBodyBytes: 1_000 });
}

function post(body: unknown, headers: Readonly<Record<string, string>> = {}): Request {
  return new Request('http://127.0.0.1/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

describe('the HTTP handler', () => {
  it('accepts a body that the route has already read', async () => {
    const { invoke } = scriptInvoke({ 'emails.get': inSequence(sampleMessage()) });
    const request = post(CALL);
    const parsedBody: unknown = await request.json();
    const response = await handler().fetch(request, { invoke, scopes: null, caller: 'k' }, parsedBody);
    expect(await response.json()).toMatchObject({ id: 2, result: { structuredContent: { id: ID } } });
  });

  it('keeps callers apart, also while calls overlap', async () => {
    const { fetch } = handler();
    const { invoke } = scriptInvoke({});
    const [sender, reader] = await Promise.all([
      fetch(post(LIST), { invoke, scopes: ['emails:send'], caller: 'k' }),
      fetch(post(LIST), { invoke, scopes: ['emails:read'], caller: 'k' }),
    ]);
    const namesIn = async (response: Response) =>
      ((await response.json()) as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name);
    const [ofSender, ofReader] = await Promise.all([namesIn(sender), namesIn(reader)]);
    expect(ofSender).toContain('send_email');
    expect(ofSender).not.toContain('get_email');
    expect(ofReader).toContain('get_email');
    expect(ofReader).not.toContain('send_email');
  });

  it('returns 405 to the methods of sessions, which do not exist', async () => {
    const { invoke } = scriptInvoke({});
    for (const method of ['GET', 'DELETE']) {
      const response = await handler().fetch(new Request('http://127.0.0.1/mcp', { method }), {
        invoke,
        scopes: null,
        caller: 'k',
      });
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toContain('POST');
    }
  });

  it('starts nothing more once it is closed', async () => {
    const { fetch, close } = handler();
    await close();
    const { invoke } = scriptInvoke({});
    await expect(fetch(post(LIST), { invoke, scopes: null, caller: 'k' })).rejects.toThrow();
  });
});

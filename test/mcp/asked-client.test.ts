import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { createMcpServer } from '@postrider/mcp';
import { describe, expect, it } from 'vitest';
import { ID } from './sample-messages.ts';
import { response, scriptInvoke } from './scripted-invoke.ts';

/** A 2025 client on a connection that stays open, as over stdio, which responds to the question as given. */
async function sendHeld(respond: () => Promise<{ action: 'accept' | 'decline' | 'cancel' }>) {
  const { invoke } = scriptInvoke({
    'emails.send': () =>
      response<'emails.send'>({ id: ID, status: 'pending_approval', approvalId: ID, approvalReasons: [] } as never), // Only these fields matter here.
  });
  const settings = { invoke, scopes: null, caller: 'k', version: '1.0.0', baseUrl: 'https://mail.example.com' };
  const server = createMcpServer({ ...settings, requestId: 'r', askedMs: 200 });
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client(
    { name: 'test', version: '0.0.0' },
    { versionNegotiation: { mode: 'legacy' }, capabilities: { elicitation: { url: {} } } },
  );
  const asked: unknown[] = [];
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    asked.push(params);
    return await respond();
  });
  await server.connect(far);
  await client.connect(near);
  const result = await client.callTool({ name: 'send_email', arguments: {} });
  await client.close();
  return { asked, result };
}

describe('a 2025 client that is asked to open the page of a held send', () => {
  const url = `https://mail.example.com/approvals/open/${ID}`;

  it.each([
    ['accepts', async () => ({ action: 'accept' as const })],
    ['declines', async () => ({ action: 'decline' as const })],
    ['fails', async () => await Promise.reject(new Error('no browser'))],
    ['never responds', async () => await new Promise<never>(() => {})],
  ])('gets the held message when it %s', async (_, respond) => {
    const { asked, result } = await sendHeld(respond);
    expect(asked).toEqual([expect.objectContaining({ mode: 'url', url, elicitationId: ID })]);
    expect(result.isError).not.toBe(true);
    expect(result.structuredContent).toMatchObject({ id: ID, status: 'pending_approval' });
    expect(JSON.stringify(result.content)).toContain(url);
  });
});

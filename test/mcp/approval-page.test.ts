import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { approversNotified } from '../approvals/approving.ts';
import { signInAs } from '../harness/session.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

let server: TestApp;
let key: string;
const open: Client[] = [];

beforeAll(async () => {
  server = await startTestApp();
  const body = { name: 'Held', scopes: ['emails:send', 'emails:read'], approvalMode: 'always' };
  key = (await server.call('POST', '/keys', { body })).body.key;
});
afterAll(async () => {
  for (const client of open) await client.close();
  await server.close();
});

/** A client that opens addresses for its user, or none. `opened` has the requested ones. */
async function connect(opens: boolean, action: 'accept' | 'decline' = 'accept') {
  const opened: string[] = [];
  const client = new Client(
    { name: 'test', version: '0.0.0' },
    {
      versionNegotiation: { mode: { pin: '2026-07-28' } },
      capabilities: opens ? { elicitation: { url: {} } } : { elicitation: { form: {} } },
    },
  );
  client.setRequestHandler('elicitation/create', ({ params }) => {
    opened.push(params.mode === 'url' ? params.url : 'a form');
    return { action };
  });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.baseUrl}/mcp`), { requestInit }));
  open.push(client);
  return { client, opened };
}

const send = (client: Client, subject: string) =>
  client.callTool({
    name: 'send_email',
    arguments: { from: 'ada@sandbox.test', to: 'delivered@sandbox.test', subject, text: 'Hi' },
  });

describe('the result of a held send', () => {
  it.each(['accept', 'decline'] as const)(
    'lets a client that can open URLs open the approval page, which approves nothing (%s)',
    async (action) => {
      const { client, opened } = await connect(true, action);
      const { structuredContent, content } = await send(client, `Opened ${action}`);
      const { id, approvalId, status, notes, ...rest } = structuredContent as Record<string, string>;
      expect(opened).toEqual([`${server.baseUrl}/approvals/open/${approvalId}`]);
      expect(status).toBe('pending_approval');
      expect(rest).not.toHaveProperty('deduplicated');
      expect(notes).toContain(`An approver decides here, signed in: ${opened[0]}`);
      expect(JSON.stringify(content)).not.toContain('sent twice');
      expect((await server.call('GET', `/emails/${id}`)).body.status).toBe('pending_approval');
      expect((await server.call('GET', `/emails?q=Opened%20${action}`)).body.total).toBe(1);
      // Sent again it is the same message, whose page was opened already.
      expect((await send(client, `Opened ${action}`)).structuredContent).toMatchObject({ id, deduplicated: true });
      expect(opened).toHaveLength(1);
    },
  );

  it('says where a user decides when the client cannot open URLs', async () => {
    const { client, opened } = await connect(false);
    const { structuredContent, content } = await send(client, 'Words');
    const { approvalId } = structuredContent as Record<string, string>;
    expect(opened).toEqual([]);
    for (const form of [structuredContent, content])
      expect(JSON.stringify(form)).toContain(`${server.baseUrl}/approvals/open/${approvalId}`);
    expect(JSON.stringify(content)).toContain('Held, not sent');
    const again = await send(client, 'Words');
    expect(again.structuredContent).toMatchObject({ deduplicated: true, approvalId });
  });
});

describe('the result of a batch with held items', () => {
  const batch = (client: Client, subjects: readonly string[]) =>
    client.callTool({
      name: 'send_email_batch',
      arguments: {
        emails: subjects.map((subject) => ({
          from: 'ada@sandbox.test',
          to: 'delivered@sandbox.test',
          subject,
          text: 'x',
        })),
      },
    });
  type Row = { readonly id: string; readonly approvalId: string };

  it('lets a client that can open URLs open the first page, and names every other page', async () => {
    const { client, opened } = await connect(true);
    const { structuredContent, content } = await batch(client, ['B1', 'B2']);
    const { results, notes, ...rest } = structuredContent as { results: Row[]; notes: string[] }; // As the schema has it.
    const pages = results.map(({ approvalId }) => `${server.baseUrl}/approvals/open/${approvalId}`);
    expect(opened).toEqual([pages[0]]);
    expect(rest).not.toHaveProperty('deduplicated');
    for (const form of [notes, content]) for (const page of pages) expect(JSON.stringify(form)).toContain(page);
    expect(JSON.stringify([notes, content])).not.toContain('sent twice');
    expect((await server.call('GET', '/emails?q=B1')).body.total).toBe(1);
  });

  it('says where users decide, stays small, and counts what it leaves out', async () => {
    const { client, opened } = await connect(false);
    const subjects = Array.from({ length: 100 }, (_, index) => `Many ${index}`);
    const { structuredContent, content } = await batch(client, subjects);
    const { results } = structuredContent as { results: Row[] }; // As the schema has it.
    expect(opened).toEqual([]);
    expect(results.filter(({ id, approvalId }) => id && approvalId)).toHaveLength(100);
    expect(JSON.stringify(content)).toContain('and 90 more: list_approvals');
    expect(JSON.stringify(content).length + JSON.stringify(structuredContent).length).toBeLessThanOrEqual(32_000);
  });
});

describe('a read of a held send', () => {
  it('names the page, and does not request the client to open it again', async () => {
    const { client, opened } = await connect(true);
    const { body } = await server.send({ subject: 'Read' }, { key });
    for (const [name, id] of [
      ['get_email', body.id],
      ['wait_for_email', body.id],
    ] as const) {
      const { structuredContent, content } = await client.callTool({
        name,
        arguments: { id, ...(name === 'get_email' ? {} : { wait: 1 }) },
      });
      for (const form of [structuredContent, content])
        expect(JSON.stringify(form)).toContain(`${server.baseUrl}/approvals/open/${body.approvalId}`);
    }
    expect(opened).toEqual([]);
  });
});

describe('the approval page that agents name', () => {
  async function held(): Promise<string> {
    return (await server.send({ subject: 'To decide' }, { key })).body.approvalId;
  }
  const visit = (path: string, cookie?: string) =>
    fetch(`${server.baseUrl}${path}`, { redirect: 'manual', headers: cookie === undefined ? {} : { cookie } });

  it('asks a user to sign in first, and then leads to its page in the console', async () => {
    const path = `/approvals/open/${await held()}`;
    const stranger = await visit(path);
    expect([stranger.status, stranger.headers.get('location')]).toEqual([
      303,
      `/auth/sign-in?next=${encodeURIComponent(path)}`,
    ]);
    const { cookie } = await signInAs(server, 'owner@sandbox.test');
    const led = await visit(path, cookie);
    expect([led.status, led.headers.get('location')]).toEqual([
      303,
      path.replace('/approvals/open/', '/console/approvals/'),
    ]);
    const page = await visit(led.headers.get('location') ?? '', cookie);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('To decide');
  });

  it('creates nothing, however often it is opened: no link that works without the session', async () => {
    const approvalId = await held();
    const { cookie } = await signInAs(server, 'owner@sandbox.test');
    const count = async () => {
      const [row] = await server.database.sql<{ links: number }[]>`
        SELECT count(*)::int AS links FROM approval_links WHERE approval_id = ${approvalId}`;
      return row?.links;
    };
    // The server's worker mails the approvers after the send has returned, and stores the link in that mail.
    await approversNotified(server, approvalId);
    const before = await count();
    const open = async () => (await visit(`/approvals/open/${approvalId}`, cookie)).headers.get('location');
    const opened = new Set(await Promise.all(Array.from({ length: 20 }, open)));
    expect([...opened]).toEqual([`/console/approvals/${approvalId}`]);
    expect(await count()).toBe(before);
    expect((await visit([...opened][0] ?? '')).headers.get('location')).toMatch(/^\/auth\/sign-in/);
  });

  it('responds the same to another account’s hold, an unknown one and junk: not found', async () => {
    const { cookie } = await signInAs(server, 'owner@sandbox.test');
    const { accountId } = await server.newAccount();
    expect(accountId).not.toBe(server.accountId);
    const other = await signInAs(server, 'other@sandbox.test');
    expect((await visit(`/approvals/open/${await held()}`, other.cookie)).status).toBe(404);
    expect((await visit('/approvals/open/01980d3c-7a52-7c31-9d5e-2f0c6a1b4e03', cookie)).status).toBe(404);
    expect((await visit('/approvals/open/x', cookie)).status).toBe(404);
    expect((await fetch(`${server.baseUrl}/approvals/open/x`, { method: 'POST' })).status).toBe(405);
  });
});

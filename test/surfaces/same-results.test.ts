import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Postrider, PostriderError } from '@postrider/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runInProcess } from '../cli/run-in-process.ts';
import { expectProblem } from '../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { type Outcome, type SendBody, surfacesOf } from './surface.ts';

const BODY: SendBody = {
  from: 'Ada <ada@sandbox.test>',
  to: ['delivered@sandbox.test'],
  subject: 'Hello',
  text: 'Hi there',
};
const NAMES = ['REST', 'the SDK', 'MCP', 'the CLI'] as const;
const CHANNELS = { REST: 'api', 'the SDK': 'sdk', MCP: 'mcp', 'the CLI': 'sdk' } as const;

describe('the same call over REST, SDK, MCP and CLI', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  const surface = (name: string) => {
    const found = surfacesOf(server).find((candidate) => candidate.name === name);
    if (found === undefined) throw new Error(`no surface ${name}`);
    return found;
  };

  function bodyOf(outcome: Outcome): Readonly<Record<string, unknown>> {
    if (!outcome.ok) throw new Error(JSON.stringify(outcome.problem));
    return outcome.body;
  }

  /**
   * Makes the call over every surface and expects the same problem from all of them, but for the request's own id and what is in the caller's
   * language: the names of operations in the fix, see fix-references.test.ts, and the flags of fields, see cli/flag-words.test.ts.
   */
  async function expectSameRefusal(
    expected: Readonly<Record<string, unknown>>,
    call: (over: ReturnType<typeof surface>) => Promise<Outcome>,
  ): Promise<void> {
    const outcomes = await Promise.all(NAMES.map((name) => call(surface(name))));
    const problems = outcomes.map((outcome) =>
      outcome.ok
        ? outcome
        : { ...withoutFlags(outcome.problem), requestId: 'x', fix: withoutNames(outcome.problem['fix']) },
    );
    expect(problems[0]).toMatchObject(expected);
    for (const problem of problems) expect(problem).toEqual(problems[0]);
  }

  /** A problem that names fields where the CLI names flags. */
  function withoutFlags(problem: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const { detail, errors } = problem as { detail: string; errors?: { path: string; flag?: string }[] };
    const [first] = errors ?? [];
    if (first?.flag === undefined) return problem;
    return {
      ...problem,
      detail: detail.replace(`${first.flag}: `, `${first.path}: `),
      errors: errors?.map(({ flag: _, ...error }) => error),
    };
  }

  /** A fix with every name in backticks left out, and the remark that follows one that no tool here does. */
  function withoutNames(fix: unknown): string {
    expect(fix).toMatch(/\S/);
    return String(fix).replaceAll(/`[^`]+`(?: \(no tool here does this: ask a user to run it\))?/g, '`…`');
  }

  it.each(NAMES)(
    '%s accepts, and records its channel',
    {
      tags: [
        'contract-sending.channel-clients',
        'contract-sending.channel-mcp',
        'contract-test-addresses.whole-pipeline',
      ],
    },
    async (name) => {
      const sent = bodyOf(await surface(name).send(server.key, BODY));
      expect(sent).toEqual({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), status: 'queued' });
      const read = (await server.settled(String(sent['id']))).body;
      expect(read).toMatchObject({
        status: 'delivered',
        channel: CHANNELS[name],
        source: name === 'MCP' ? 'agent' : 'backend',
      });
    },
  );

  it('MCP accepts no channel from its caller, and says so', {
    tags: ['contract-sending.channel-mcp', 'contract-sending.provenance'],
  }, async () => {
    const client = new Client({ name: 'test', version: '0.0.0' });
    const requestInit = { headers: { authorization: `Bearer ${server.key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.baseUrl}/mcp`), { requestInit }));
    const result = await client.callTool({ name: 'send_email', arguments: { ...BODY, channel: 'api' } });
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'validation_failed', errors: [{ path: 'channel' }] } },
    });
    await client.close();
  });

  it('returns a message the same', async () => {
    const { body: sent } = await server.send({
      ...BODY,
      cc: ['bounced@sandbox.test'],
      tags: ['a'],
      metadata: { k: 'v' },
    });
    await server.settled(sent.id);
    const reads = await Promise.all(NAMES.map(async (name) => bodyOf(await surface(name).get(server.key, sent.id))));
    expect(reads[0]).toMatchObject({
      id: sent.id,
      status: 'bounced',
      text: 'Hi there',
      tags: ['a'],
      metadata: { k: 'v' },
    });
    // The tool shows only attempts that failed, in a shorter form.
    const other = { attempts: undefined, failedAttempts: undefined };
    for (const read of reads) expect({ ...Object(read), ...other }).toEqual({ ...Object(reads[0]), ...other });
  });

  it('returns lists in the same pages', async () => {
    const { key } = await server.newAccount();
    for (let index = 0; index < 5; index += 1) await server.send({ ...BODY, subject: `Page ${index}` }, { key });
    const pagesOver = async (name: string) => {
      const pages: unknown[] = [];
      for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
        const page = bodyOf(await surface(name).list(key, { limit: 2, ...(cursor === undefined ? {} : { cursor }) }));
        pages.push(page);
        cursor = typeof page['nextCursor'] === 'string' ? page['nextCursor'] : undefined;
      }
      return pages;
    };
    await expect
      .poll(async () => (await server.call('GET', '/emails?status=delivered', { key })).body.total, { timeout: 5_000 })
      .toBe(5);
    const [first, ...others] = await Promise.all(NAMES.map(pagesOver));
    expect(first).toHaveLength(3);
    expect(first?.[0]).toMatchObject({ total: 5, messages: [{ subject: 'Page 4' }, { subject: 'Page 3' }] });
    for (const pages of others) expect(pages).toEqual(first);
  });

  it('returns the first result again for the same idempotency key', {
    tags: ['contract-idempotency.single', 'contract-surfaces.mcp-arguments'],
  }, async () => {
    for (const name of NAMES) {
      const first = bodyOf(await surface(name).send(server.key, BODY, `again ${name}`));
      expect(bodyOf(await surface(name).send(server.key, BODY, `again ${name}`))).toEqual(first);
      const other = await surface(name).send(server.key, { ...BODY, subject: 'Other' }, `again ${name}`);
      expect(other).toMatchObject({ ok: false, problem: { code: 'idempotency_key_reused', status: 422 } });
    }
  });

  it('replays a key of REST for the same request over MCP: both share one acceptance', {
    tags: ['contract-idempotency.single'],
  }, async () => {
    const first = bodyOf(await surface('REST').send(server.key, BODY, 'one door'));
    expect(bodyOf(await surface('MCP').send(server.key, BODY, 'one door'))).toEqual(first);
  });

  it('rejects an unverified domain the same way', async () => {
    await expectSameRefusal({ status: 403, code: 'domain_not_verified', retryable: false }, (over) =>
      over.send(server.key, { ...BODY, from: 'a@elsewhere.example' }),
    );
  });

  it('rejects a bad address the same way', async () => {
    await expectSameRefusal(
      { status: 422, code: 'validation_failed', errors: [{ path: 'to.1', code: 'invalid_email' }] },
      (over) => over.send(server.key, { ...BODY, to: ['a@b.co', 'nobody'] }),
    );
  });

  it('rejects a suppressed recipient the same way, and names it', {
    tags: ['contract-errors.recipients'],
  }, async () => {
    await server.database.sql`
      INSERT INTO suppressions (account_id, id, email, reason, created_at)
      VALUES (${server.accountId}, gen_random_uuid(), 'gone@example.com', 'manual', now())`;
    const recipients = [{ email: 'gone@example.com', kind: 'bcc', code: 'recipient_suppressed' }];
    await expectSameRefusal({ status: 422, code: 'recipient_suppressed', recipients }, (over) =>
      over.send(server.key, { ...BODY, bcc: ['gone@example.com'] }),
    );
  });

  it('rejects a recipient outside the key’s allowlist the same way, and names it', {
    tags: ['authentication.allowlist'],
  }, async () => {
    const key = await server.newKey({ recipientAllowlist: ['@sandbox.test'] });
    const recipients = [{ email: 'x@example.com', kind: 'cc', code: 'recipient_not_allowed' }];
    await expectSameRefusal({ status: 403, code: 'recipient_not_allowed', recipients }, (over) =>
      over.send(key, { ...BODY, cc: ['x@example.com'] }),
    );
  });

  it('rejects what the quota does not cover the same way', async () => {
    const { key, accountId } = await server.newAccount();
    await server.database.sql`UPDATE accounts SET monthly_quota = 0 WHERE id = ${accountId}`;
    await expectSameRefusal({ status: 402, code: 'quota_exceeded', retryable: false }, (over) =>
      over.send(key, { ...BODY, to: ['x@example.com'] }),
    );
  });

  it('reports an unknown id the same way, and another account’s', async () => {
    await expectSameRefusal({ status: 404, code: 'not_found' }, (over) =>
      over.get(server.key, '01936a2e-0000-7000-8000-000000000000'),
    );
    const { body } = await server.send();
    const other = await server.newAccount();
    await expectSameRefusal({ status: 404, code: 'not_found' }, (over) => over.get(other.key, body.id));
  });

  it('rejects a broken cursor the same way', async () => {
    await expectSameRefusal({ status: 422, code: 'invalid_cursor' }, (over) =>
      over.list(server.key, { limit: 2, cursor: 'AAAA' }),
    );
  });

  it('rejects a key that lacks the scope the same way, except that MCP does not even list the tool', async () => {
    const key = await server.newKey({ scopes: ['emails:read'] });
    const detail = 'The key lacks the scope `emails:send`.';
    await expectSameRefusal({ status: 403, code: 'missing_scope', detail, retryable: false }, (over) =>
      over.send(key, BODY),
    );
    const client = new Client({ name: 'test', version: '0.0.0' });
    const requestInit = { headers: { authorization: `Bearer ${key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.baseUrl}/mcp`), { requestInit }));
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['get_email', 'list_emails', 'wait_for_email']));
    expect(names).not.toContain('send_email');
    // A client that has not listed the tool gets an error that names what is missing.
    expect(await client.callTool({ name: 'send_email', arguments: { ...BODY } })).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'missing_scope', detail } },
    });
    expect((await server.call('GET', '/emails', { key })).body.messages).toEqual(
      (await server.call('GET', '/emails')).body.messages,
    );
    await client.close();
  });

  it('rejects an unknown key the same way', { tags: ['authentication.mcp', 'mcp.key'] }, async () => {
    const outcomes = await Promise.all(
      ['REST', 'the SDK', 'the CLI'].map((name) => surface(name).send('pr_live_x', BODY)),
    );
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ ok: false, problem: { status: 401, code: 'invalid_key' } });
    await expect(surface('MCP').send('pr_live_x', BODY)).rejects.toThrow();
  });

  it('the CLI exits with the exit code of the API’s error', async () => {
    const env = { POSTRIDER_API_KEY: server.key, POSTRIDER_BASE_URL: server.baseUrl };
    const send = (...more: string[]) =>
      runInProcess(['send', '--from', 'a@sandbox.test', '--subject', 's', '--text', 't', '--json', ...more], { env });
    expect((await send('--to', 'delivered@sandbox.test', '--wait')).code).toBe(0);
    expect((await send('--to', 'bounced@sandbox.test', '--wait', '10')).code).toBe(12);
    expect((await send('--to', 'nobody')).code).toBe(6);
  });

  it('the SDK iterates over every page, and its errors contain what the problem says', async () => {
    const client = new Postrider({ apiKey: server.key, baseUrl: server.baseUrl });
    const ids: string[] = [];
    for await (const { id } of client.emails.list({ limit: 3 })) ids.push(id);
    expect(ids).toHaveLength((await server.call('GET', '/emails')).body.total);
    const error = await client.emails.get('nope').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(PostriderError);
    expect(error).toMatchObject({
      code: 'not_found',
      status: 404,
      retryable: false,
      fix: expect.any(String),
      requestId: expect.any(String),
    });
  });
});

describe('POST /mcp', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  const rpc = (body: unknown, options: Parameters<TestApp['call']>[2] = {}) =>
    server.call('POST', '/mcp', { body, ...options });
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '0' } },
  };

  it('is a JSON-RPC 2.0 endpoint over streamable HTTP', {
    tags: ['mcp.endpoint', 'mcp.bodies', 'service.mcp'],
  }, async () => {
    const { status, headers, body } = await rpc(initialize);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('application/json');
    expect(body).toMatchObject({
      jsonrpc: '2.0',
      id: 1,
      result: { serverInfo: { name: 'postrider' }, capabilities: { tools: {} } },
    });
    const listed = await rpc({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
    expect(listed.body.result.tools.map(({ name }: { name: string }) => name).sort()).toEqual([
      ...['cancel_email', 'check_recipients', 'get_email', 'get_sending_context', 'get_stats', 'get_template'],
      ...['list_domains', 'list_emails'],
      ...['list_suppressions', 'list_templates', 'preview_email', 'render_template', 'resend_email', 'send_email'],
      ...['send_email_batch', 'wait_for_email'],
    ]);
    const unknown = await rpc({ jsonrpc: '2.0', id: 3, method: 'nonsense' });
    expect(unknown.body).toMatchObject({ jsonrpc: '2.0', id: 3, error: { code: -32601 } });
  });

  it('is authenticated by API key', { tags: ['authentication.mcp', 'mcp.key'] }, async () => {
    const missing = await rpc(initialize, { key: null });
    expectProblem(missing, 401, 'missing_key');
    expect(missing.headers.get('www-authenticate')).toContain('Bearer');
    expectProblem(await rpc(initialize, { key: 'pr_live_x' }), 401, 'invalid_key');
    expectProblem(await server.call('GET', '/mcp', { key: null }), 401, 'missing_key');
    expect(await server.call('GET', '/mcp')).toMatchObject({ status: 405, body: { jsonrpc: '2.0', id: null } });
  });

  it('returns tool errors in the one body of every error', { tags: ['contract-errors.mcp'] }, async () => {
    const call = {
      jsonrpc: '2.0',
      id: 4,
      method: 'tools/call',
      params: { name: 'get_email', arguments: { id: 'nope' } },
    };
    const { body, headers } = await rpc(call);
    const rest = await server.call('GET', '/emails/nope');
    expect(body.result.isError).toBe(true);
    expect(body.result.structuredContent.error).toEqual({ ...rest.body, requestId: headers.get('x-request-id') });
  });

  it('serves no page of another origin, and no other name of this server', async () => {
    expect((await rpc(initialize, { headers: { origin: 'https://evil.example' } })).status).toBe(403);
    expect((await rpc(initialize, { headers: { origin: server.baseUrl } })).status).toBe(200);
  });

  it('has every call in the request log', async () => {
    const { headers } = await rpc(initialize);
    const id = headers.get('x-request-id');
    await expect
      .poll(async () => (await server.call('GET', `/requests/${id}`)).body.path, { timeout: 5_000 })
      .toBe('/mcp');
  });
});

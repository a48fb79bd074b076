import { ERROR_CODES, ERRORS, type ErrorCode, errorCodesOf, OPERATIONS } from '@postrider/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProblemError, problemHeaders, toProblem } from '../../packages/server/src/problem.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../harness/database-proxy.ts';
import { expectInvalid, expectProblem } from '../harness/expect-problem.ts';
import { sendRaw } from '../harness/raw-http.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

/** The contract's own table, written out: what others depend on does not change by a change of the catalog. */
const CONTRACT: Readonly<Record<number, string>> = {
  400: 'invalid_json authorization_pending slow_down device_code_expired',
  401: 'missing_key invalid_key key_revoked key_expired session_required',
  402: 'quota_exceeded',
  403:
    'missing_scope recipient_not_allowed ip_not_allowed domain_not_verified persona_locked self_approval_forbidden ' +
    'permission_escalation account_suspended sending_paused',
  404: 'not_found',
  405: 'method_not_allowed',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  409:
    'idempotency_in_progress message_not_queued issuing_key_revoked approval_already_decided approval_changed ' +
    'webhook_disabled domain_claimed already_exists',
  410: 'body_expired',
  422:
    'validation_failed invalid_cursor idempotency_key_reused recipient_suppressed template_not_found ' +
    'template_variable_missing template_render_failed window_too_large attachment_invalid attachment_too_many ' +
    'attachment_too_large attachment_type_refused attachment_url_refused attachment_fetch_failed',
  429: 'rate_limited send_limit_reached too_many_held',
  500: 'internal',
  503: 'unavailable',
};

describe('the catalog of errors', () => {
  it('contains exactly the codes of the contract under their statuses', {
    tags: ['contract-errors.catalogue'],
  }, () => {
    const catalog = Map.groupBy(ERROR_CODES, (code) => ERRORS[code].status);
    const byStatus = Object.fromEntries([...catalog].map(([status, codes]) => [status, [...codes].sort()]));
    const expected = Object.entries(CONTRACT).map(([status, codes]) => [status, codes.split(' ').sort()]);
    expect(byStatus).toEqual(Object.fromEntries(expected));
  });

  it('says for each what is wrong and what to do next, in whole sentences', { tags: ['contract-errors.words'] }, () => {
    for (const [code, { title, description, fix, retryable }] of Object.entries(ERRORS)) {
      for (const sentence of [description, fix]) expect(sentence, code).toMatch(/^[A-Z`].{15,}[.]$/s);
      expect(title, code).toMatch(/^[A-Z].+[^.]$/);
      expect(retryable, code).toBeTypeOf('boolean');
    }
  });

  it('marks as retryable only what can pass later: no generic retrier loops until next month', {
    tags: ['contract-errors.402'],
  }, () => {
    const retryable = ERROR_CODES.filter((code) => ERRORS[code].retryable);
    expect(retryable.sort()).toEqual([
      ...['attachment_fetch_failed', 'authorization_pending', 'idempotency_in_progress', 'internal', 'rate_limited'],
      ...['send_limit_reached', 'slow_down', 'too_many_held', 'unavailable'],
    ]);
    expect(ERRORS.quota_exceeded).toMatchObject({ status: 402, retryable: false });
  });

  it('becomes the one body of every error, the same for each code', {
    tags: ['contract-errors.body', 'errors.body'],
  }, () => {
    for (const code of ERROR_CODES) {
      const problem = toProblem(new ProblemError(code), 'http://api.test', 'r-1');
      expect(problem).toEqual({
        type: `http://api.test/reference#error-${code}`,
        title: ERRORS[code].title,
        status: ERRORS[code].status,
        detail: ERRORS[code].description,
        code,
        fix: ERRORS[code].fix,
        retryable: ERRORS[code].retryable,
        requestId: 'r-1',
      });
    }
  });

  it('says how to authenticate with each 401, and when to retry', () => {
    const headersOf = (code: ErrorCode) => problemHeaders(new ProblemError(code));
    expect(headersOf('invalid_key')).toEqual({ 'www-authenticate': 'Bearer realm="postrider"' });
    expect(headersOf('idempotency_in_progress')).toEqual({ 'retry-after': '1' });
    expect(headersOf('unavailable')).toEqual({ 'retry-after': '1' });
    expect(headersOf('not_found')).toEqual({});
  });
});

describe('errors', () => {
  let server: TestApp;
  let other: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
    other = await startTestApp({ database: server.database, settings: { POSTRIDER_MONTHLY_QUOTA: '1' } });
  });
  afterAll(async () => {
    await other.close();
    await server.close();
  });

  it('400: a body that is not JSON', { tags: ['contract-errors.400'] }, async () => {
    expectProblem(await server.call('POST', '/emails', { rawBody: '{"from":' }), 400, 'invalid_json');
  });

  it('400: a JSON-RPC parse error for a body of MCP that is not JSON', async () => {
    for (const rawBody of ['{', '', '\xff', '['.repeat(200)]) {
      const response = await server.call('POST', '/mcp', { rawBody: Buffer.from(rawBody, 'latin1') });
      expect(response.status).toBe(400);
      expect(response.headers.get('content-type')).toContain('application/json');
      expect(response.body).toMatchObject({
        jsonrpc: '2.0',
        id: null,
        error: { code: -32_700, message: expect.stringMatching(/^Parse error: ./), data: { code: 'invalid_json' } },
      });
    }
    expectProblem(await server.call('POST', '/emails', { rawBody: '{' }), 400, 'invalid_json');
  });

  it('401: a missing, unknown, revoked or expired key', {
    tags: ['contract-errors.401', 'authentication.bearer-key'],
  }, async () => {
    const missing = await server.call('GET', '/emails', { key: null });
    expectProblem(missing, 401, 'missing_key');
    expect(missing.headers.get('www-authenticate')).toBe('Bearer realm="postrider"');
    expectProblem(await server.call('GET', '/emails', { key: 'pr_live_nonsense' }), 401, 'invalid_key');
    const [revoked, expired] = [await server.newKey(), await server.newKey()];
    const hour = new Date(server.clock.now().getTime() - 3_600_000);
    await server.database.sql`UPDATE api_keys SET revoked_at = ${hour} WHERE last4 = ${revoked.slice(-4)}`;
    await server.database.sql`UPDATE api_keys SET expires_at = ${hour} WHERE last4 = ${expired.slice(-4)}`;
    expectProblem(await server.call('GET', '/emails', { key: revoked }), 401, 'key_revoked');
    expectProblem(await server.call('GET', '/emails', { key: expired }), 401, 'key_expired');
  });

  it('402: more recipients than the monthly quota has left', { tags: ['contract-errors.402'] }, async () => {
    const response = await other.send({ to: ['a@example.com', 'b@example.com'] });
    expectProblem(response, 402, 'quota_exceeded');
    expect(response.body).toMatchObject({ retryable: false, detail: expect.stringContaining('1 of the 1') });
  });

  it('403: a scope, a recipient, a domain, an account that may not send', {
    tags: ['contract-errors.403', 'errors.status-codes'],
  }, async () => {
    const reader = await server.newKey({ scopes: ['emails:read'] });
    const narrow = await server.newKey({ recipientAllowlist: ['@sandbox.test'] });
    const suspended = await server.newAccount('Suspended');
    await server.database.sql`UPDATE accounts SET suspended_at = now() WHERE id = ${suspended.accountId}`;
    const scope = await server.send({}, { key: reader });
    expectProblem(scope, 403, 'missing_scope');
    expect(scope.body.detail).toContain('`emails:send`');
    expectProblem(await server.send({ to: 'a@example.com' }, { key: narrow }), 403, 'recipient_not_allowed');
    expectProblem(await server.send({ from: 'a@example.com' }), 403, 'domain_not_verified');
    expectProblem(await server.send({}, { key: suspended.key }), 403, 'account_suspended');
    expect((await server.call('GET', '/emails', { key: suspended.key })).status).toBe(200);
  });

  it('404: the same body for another account’s message as for one that never existed', {
    tags: ['contract-errors.404'],
  }, async () => {
    const { body: sent } = await server.send();
    const foreign = await server.newAccount('Foreign');
    const never = '01936a2e-0000-7000-8000-000000000000';
    const read = async (id: string) => {
      const headers = { 'x-request-id': 'same' };
      const response = await server.call('GET', `/emails/${id}`, { key: foreign.key, headers });
      expectProblem(response, 404, 'not_found');
      return JSON.stringify(response.body).replaceAll(id, '<id>');
    };
    expect(await read(sent.id)).toBe(await read(never));
    const waited = await server.call('GET', `/emails/${sent.id}?wait=60`, { key: foreign.key });
    expectProblem(waited, 404, 'not_found');
  });

  it('409 and its retry-after, for a key whose request still runs', {
    tags: ['contract-errors.409', 'contract-idempotency.in-progress'],
  }, async () => {
    const headers = { 'idempotency-key': 'running' };
    const responses = await Promise.all(Array.from({ length: 20 }, () => server.send({}, { headers })));
    const running = responses.filter(({ status }) => status === 409);
    expect(running.length).toBeGreaterThan(0);
    for (const response of running) {
      expectProblem(response, 409, 'idempotency_in_progress');
      expect(response.headers.get('retry-after')).toBe('1');
      expect(response.body.retryable).toBe(true);
    }
  });

  it('413: a body that declares more than the limit, before it is read', {
    tags: ['contract-errors.413'],
  }, async () => {
    const head = `POST /emails HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${server.key}\r\ncontent-type: application/json\r\n`;
    const refused = await sendRaw(server.baseUrl, `${head}content-length: ${40 * 1024 * 1024 + 1}\r\n\r\n`, '}');
    expect(refused).toMatch(/^HTTP\/1\.1 413 /);
    expect(refused).toContain('"code":"payload_too_large"');
    const taken = await sendRaw(
      server.baseUrl,
      `${head}expect: 100-continue\r\ncontent-length: 20\r\n\r\n`,
      '\r\n\r\n',
    );
    expect(taken).toMatch(/^HTTP\/1\.1 100 /);
  });

  it('413: a header section that is too large', async () => {
    const refused = await sendRaw(server.baseUrl, `GET / HTTP/1.1\r\nhost: x\r\nx-big: ${'a'.repeat(20_000)}\r\n\r\n`);
    expect(refused).toMatch(/^HTTP\/1\.1 413 /);
    expect(refused).toContain('"code":"payload_too_large"');
  });

  it('413: a query that is too long for the header section', async () => {
    const refused = await sendRaw(server.baseUrl, `GET /emails?q=${'a'.repeat(17_000)} HTTP/1.1\r\nhost: x\r\n\r\n`);
    expect(refused).toMatch(/^HTTP\/1\.1 413 /);
    expect(refused).toContain('Send a shorter URL or query string');
  });

  it.each([
    ['no Host', 'GET / HTTP/1.1\r\nconnection: close', 'has no `Host` header'],
    ['an unknown Expect', 'GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\nexpect: foo', 'has an `Expect` header'],
    ['an unknown method', 'FOO / HTTP/1.1\r\nhost: x', 'a known method'],
    ['a negative length', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: -1', 'The length of the body'],
    ['two lengths', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2', 'The length of the body'],
    ['a space in the path', 'GET /a b HTTP/1.1\r\nhost: x', 'The first line of the request'],
    ['an unknown version', 'GET / HTTP/9.9\r\nhost: x', 'The HTTP version'],
    ['a space in a header name', 'GET / HTTP/1.1\r\nhost: x\r\nbad header: 1', 'A header has a character'],
    ['TLS', '\x16\x03\x01\x02\x00', 'The client started TLS'],
  ])(
    '400: a request with %s, explained without the codes of the parser',
    {
      tags: ['contract-errors.body', 'errors.request-id'],
    },
    async (_, head, detail) => {
      const refused = await sendRaw(server.baseUrl, Buffer.from(`${head}\r\n\r\n`, 'latin1'));
      expect(refused).toMatch(/^HTTP\/1\.1 400 /);
      const id = /^x-request-id: (.+)\r$/m.exec(refused)?.[1];
      const body = JSON.parse(refused.slice(refused.indexOf('{')));
      expect(body).toMatchObject({ status: 400, code: 'invalid_json', requestId: id, retryable: false });
      expect(body.detail).toContain(detail);
      expect(JSON.stringify(body)).not.toMatch(/HPE_|\bJSON\b/);
    },
  );

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    'json',
    '',
  ])('415: a body of type %j', { tags: ['contract-errors.415', 'general.json-bodies'] }, async (type) => {
    const response = await server.call('POST', '/emails', { rawBody: '{}', headers: { 'content-type': type } });
    expectProblem(response, 415, 'unsupported_media_type');
  });

  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON', 'application/vnd.api+json'])(
    'accepts JSON of type %j',
    { tags: ['general.json-bodies'] },
    async (type) => {
      const response = await server.send({}, { headers: { 'content-type': type } });
      expect(response.status).toBe(202);
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    },
  );

  it('422: a broken rule, a broken cursor, a reused key, a suppressed recipient', {
    tags: ['contract-errors.422', 'errors.status-codes'],
  }, async () => {
    expectProblem(await server.call('POST', '/emails', { body: {} }), 422, 'validation_failed');
    expectProblem(await server.call('GET', '/emails?cursor=x'), 422, 'invalid_cursor');
    const headers = { 'idempotency-key': 'reused' };
    expect((await server.send({}, { headers })).status).toBe(202);
    expectProblem(await server.send({ subject: 'Other' }, { headers }), 422, 'idempotency_key_reused');
    await suppress(server.database, server.accountId, 'gone@example.com');
    expectProblem(await server.send({ to: 'gone@example.com' }), 422, 'recipient_suppressed');
  });

  it('names every field that breaks a rule, and the first in its detail', {
    tags: ['contract-errors.fields', 'contract-errors.body'],
  }, async () => {
    const response = await server.send({ to: 'nobody', subject: '', foo: 1 });
    expectInvalid(response, ['to', 'invalid_email'], ['subject', 'too_short'], ['foo', 'unknown_field']);
    expect(response.body.errors).toHaveLength(3);
    expect(response.body.detail).toContain('(and 2 more)');
  });

  it('suggests the field that was meant', async () => {
    const response = await server.send({ replyTo: 'ada@example.com', utm: { campain: 'x' } });
    expectInvalid(response, ['replyTo', 'unknown_field'], ['utm.campain', 'unknown_field']);
    const messages = response.body.errors.map(({ message }: { message: string }) => message);
    expect(messages).toEqual(
      expect.arrayContaining([
        '`replyTo` is not a known field; did you mean `reply_to`?',
        '`utm.campain` is not a known field; did you mean `utm.campaign`?',
      ]),
    );
    const one = await server.send({ replyTo: 'ada@example.com' });
    expect(one.body.detail).toBe('replyTo: `replyTo` is not a known field; did you mean `reply_to`?');
  });

  it('names each rejected recipient with its kind and its reason', {
    tags: ['contract-errors.recipients', 'contract-errors.body'],
  }, async () => {
    await suppress(server.database, server.accountId, 'late@example.com');
    const key = await server.newKey({ recipientAllowlist: ['@example.com'] });
    const response = await server.send({ to: 'ok@example.com', cc: 'late@example.com', bcc: 'x@example.org' }, { key });
    expectProblem(response, 422, 'recipient_suppressed');
    expect(response.body.recipients).toEqual([
      { email: 'late@example.com', kind: 'cc', code: 'recipient_suppressed' },
      { email: 'x@example.org', kind: 'bcc', code: 'recipient_not_allowed' },
    ]);
  });

  it('link by `type` to their own entry on the served reference page', {
    tags: ['contract-errors.type', 'contract-surfaces.reference'],
  }, async () => {
    const page = await server.call('GET', '/reference', { key: null });
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toContain('text/html');
    for (const code of ERROR_CODES) {
      expect(page.body).toContain(`id="error-${code}"`);
      expect(page.body).toContain(`<code>${code}</code> <small>${ERRORS[code].status}`);
    }
    const { body } = await server.call('GET', '/emails', { key: null });
    expect(body.type).toBe(`${server.baseUrl}/reference#error-missing_key`);
  });

  it('are in the OpenAPI document with the catalog’s titles', {
    tags: ['contract-errors.catalogue', 'contract-errors.declared'],
  }, async () => {
    const { body: document } = await server.call('GET', '/openapi.json', { key: null });
    for (const operation of OPERATIONS) {
      const described =
        document.paths[operation.path.replaceAll(/:([a-zA-Z]+)/g, '{$1}')][operation.method.toLowerCase()];
      for (const code of errorCodesOf(operation)) {
        const response = described.responses[ERRORS[code].status];
        const shared = document.components.responses[response.$ref?.replace('#/components/responses/', '')];
        expect((shared ?? response).description).toContain(`\`${code}\`: ${ERRORS[code].title}.`);
      }
    }
    expect(document.components.schemas.Problem.properties.code.enum).toEqual(ERROR_CODES);
  });
});

describe('internal failures', () => {
  it('500: reveals only the request id, and logs the rest', { tags: ['contract-errors.500'] }, async () => {
    const server = await startTestApp();
    await server.database.sql`ALTER TABLE messages RENAME TO hidden`;
    const response = await server.call('GET', '/emails');
    expectProblem(response, 500, 'internal');
    expect(response.body.retryable).toBe(true);
    expect(JSON.stringify(response.body)).not.toMatch(/relation|hidden|SELECT|\.ts|at /);
    expectProblem(await server.send(), 500, 'internal');
    await server.close();
  });

  describe('without the database', () => {
    let database: TestDatabase;
    let proxy: DatabaseProxy;
    let server: TestApp;
    beforeAll(async () => {
      database = await createTestDatabase();
      proxy = await startDatabaseProxy(database);
      server = await startTestApp({ database: proxy.database });
    });
    afterAll(async () => {
      await server.close();
      await proxy.close();
      await database.drop();
    });

    it('503 within 2 s wherever it is needed, nothing accepted, and recovery once it is back', {
      tags: ['contract-errors.503'],
    }, async () => {
      expect((await server.send()).status).toBe(202);
      await proxy.down();
      const beganMs = performance.now();
      const responses = await Promise.all([
        server.send(),
        server.call('GET', '/emails'),
        server.call('GET', '/keys/self'),
      ]);
      expect(performance.now() - beganMs).toBeLessThan(2_500);
      for (const response of responses) {
        expectProblem(response, 503, 'unavailable');
        expect(response.headers.get('retry-after')).toBe('1');
        expect(response.body.retryable).toBe(true);
      }
      expect((await server.call('GET', '/health', { key: null })).status).toBe(200);
      await proxy.up();
      await expect
        .poll(async () => (await server.call('GET', '/emails')).status, { timeout: 10_000, interval: 20 })
        .toBe(200);
      expect((await server.call('GET', '/emails')).body.total).toBe(1);
      expect((await server.send()).status).toBe(202);
    });
  });
});

async function suppress({ sql }: TestDatabase, accountId: string, email: string): Promise<void> {
  await sql`
    INSERT INTO suppressions (account_id, id, email, reason, created_at)
    VALUES (${accountId}, gen_random_uuid(), ${email}, 'manual', now())`;
}

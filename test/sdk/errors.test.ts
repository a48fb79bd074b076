import { inspect } from 'node:util';
import { Postrider, PostriderError } from '@postrider/sdk';
import { describe, expect, it } from 'vitest';
import { problem, type Reply, startScriptedServer } from './scripted-server.ts';

const SECRET = 'pr_live_0123456789abcdefghij';

/** The error of one call with this reply. */
async function errorOf(reply: Reply): Promise<PostriderError> {
  await using server = await startScriptedServer([reply]);
  const client = new Postrider({ apiKey: SECRET, baseUrl: server.baseUrl, maxRetries: 0 });
  return await caught(client.emails.get('m1')); // Before the server goes.
}

async function caught(call: Promise<unknown>): Promise<PostriderError> {
  const error: unknown = await call.then(
    () => 'no error',
    (reason: unknown) => reason,
  );
  if (error instanceof PostriderError) return error;
  throw new Error(`expected a PostriderError, not ${inspect(error)}`);
}

describe('a problem body', () => {
  it('becomes a PostriderError with code, status, fix, retryable and requestId', {
    tags: ['contract-surfaces.sdk-errors'],
  }, async () => {
    const error = await errorOf(problem(404, 'not_found'));
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      name: 'PostriderError',
      code: 'not_found',
      status: 404,
      detail: 'It is not_found.',
      fix: 'Mend it.',
      retryable: false,
      requestId: 'req-1',
      errors: [],
      recipients: [],
      retryAfterMs: null,
      message: 'not_found: It is not_found.',
    });
  });

  it('includes the fields and the recipients it names', async () => {
    const errors = [{ path: 'to.0', code: 'invalid_email', message: 'has no `@`' }];
    const recipients = [{ email: 'ada@example.org', kind: 'to', code: 'recipient_suppressed' }];
    expect(await errorOf(problem(422, 'validation_failed', { errors, recipients }))).toMatchObject({
      errors,
      recipients,
    });
  });

  it('keeps fields that only some problems have', async () => {
    const error = await errorOf(problem(409, 'message_not_queued', { currentStatus: 'sent' }));
    expect(error.body).toMatchObject({ currentStatus: 'sent' });
  });

  it('includes the wait that the server requests', async () => {
    const error = await errorOf(problem(429, 'rate_limited', { retryable: true }, { 'retry-after': '7' }));
    expect(error).toMatchObject({ code: 'rate_limited', retryable: true, retryAfterMs: 7_000 });
  });
});

describe('a response that is not the API’s', () => {
  it('is an unexpected_answer with the status and the page of the proxy', async () => {
    const page = '<html><body><h1>502 Bad Gateway</h1></body></html>';
    const error = await errorOf({ status: 502, body: page });
    expect(error).toMatchObject({
      code: 'unexpected_answer',
      status: 502,
      retryable: true,
      requestId: null,
      body: page,
    });
    expect(error.detail).toContain('502');
    expect(error.message).not.toContain('<h1>');
  });

  it('keeps only the beginning of a long page', async () => {
    const error = await errorOf({ status: 500, body: 'x'.repeat(1_000_000) });
    expect(error.body).toHaveLength(4_096);
  });

  it('includes announced JSON that is something else', async () => {
    const reply = { status: 200, headers: { 'content-type': 'application/json' }, body: '<html>' };
    expect(await errorOf(reply)).toMatchObject({ code: 'unexpected_answer', status: 200, retryable: false });
  });

  it('includes a success in HTML from another server', async () => {
    expect(await errorOf({ status: 200, body: '<html>Welcome!</html>' })).toMatchObject({ code: 'unexpected_answer' });
  });

  it('includes problem details without a code of ours', async () => {
    const reply = { status: 403, headers: { 'content-type': 'application/problem+json' }, body: { title: 'Blocked' } };
    expect(await errorOf(reply)).toMatchObject({ code: 'unexpected_answer', status: 403, body: { title: 'Blocked' } });
  });

  it('keeps the body of a documented error that is no problem, as from a server that is not ready', async () => {
    const checks = { database: { status: 'failing', reason: 'it restarts' } };
    await using server = await startScriptedServer([{ status: 503, body: { status: 'unavailable', checks } }]);
    const client = new Postrider({ apiKey: null, baseUrl: server.baseUrl, maxRetries: 0 });
    expect((await caught(client.service.readiness())).body).toEqual({ status: 'unavailable', checks });
  });
});

describe('a server that cannot be reached', () => {
  it('is connection_failed, named by address and system error', async () => {
    const closed = await startScriptedServer([]);
    await closed[Symbol.asyncDispose]();
    const client = new Postrider({ apiKey: SECRET, baseUrl: closed.baseUrl, maxRetries: 0 });
    const error = await caught(client.emails.get('m1'));
    expect(error).toMatchObject({ code: 'connection_failed', status: null, retryable: true, requestId: null });
    expect(error.detail).toBe(`No response from ${closed.baseUrl} (ECONNREFUSED).`);
  });
});

describe('the API key', () => {
  it.each<[string, Reply]>([
    ['an error response', problem(401, 'invalid_key')],
    ['a proxy’s page', { status: 502, body: 'Bad Gateway' }],
    ['a lost connection', 'reset'],
    ['a redirect', { status: 307, headers: { location: 'https://elsewhere.example/' } }],
  ])('is in no part of the error of %s', async (_, reply) => {
    expect(inspect(await errorOf(reply), { depth: 20, showHidden: true })).not.toContain(SECRET);
  });

  it('is not in what is printed of the client', () => {
    expect(inspect(new Postrider({ apiKey: SECRET }), { depth: 20, showHidden: true })).not.toContain(SECRET);
  });

  it.each([`${SECRET}\n`, `${SECRET} `, `${SECRET}é`])(
    'is rejected without being repeated when it cannot be a key: %j',
    (apiKey) => {
      const create = () => new Postrider({ apiKey });
      expect(create).toThrow(TypeError);
      expect(create).not.toThrow(SECRET);
    },
  );

  it('is not repeated when a header of the caller cannot be written', async () => {
    const client = new Postrider({ apiKey: null });
    const call = client.request({ method: 'GET', path: '/emails', headers: { authorization: `Bearer ${SECRET}\n` } });
    await expect(call).rejects.toThrow(TypeError);
    await expect(call).rejects.not.toThrow(SECRET);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

let server: TestApp;

beforeAll(async () => {
  server = await startTestApp();
});

afterAll(async () => {
  await server.close();
});

const pathsOf = (body: { errors: { path: string; code: string; message: string }[] }) => body.errors;

describe('edge cases of a request', () => {
  it.each([
    ['application/json; charset=iso-8859-1', {}],
    ['application/json', { 'content-encoding': 'gzip' }],
  ])('are unambiguous: a body as %s with %j is rejected and not misread', async (contentType, headers) => {
    const response = await server.call('POST', '/emails', {
      rawBody: '{}',
      headers: { 'content-type': contentType, ...headers },
    });
    expect([response.status, response.body.code]).toEqual([415, 'unsupported_media_type']);
  });

  it('include UTF-8 under its names, and the identity encoding', async () => {
    const rawBody = JSON.stringify({ from: 'a@sandbox.test', to: 'delivered@sandbox.test', subject: 'é', text: 'é' });
    for (const headers of [
      { 'content-type': 'application/json;charset="UTF-8"' },
      { 'content-type': 'application/json', 'content-encoding': 'identity' },
    ]) {
      expect((await server.call('POST', '/emails', { rawBody, headers })).status).toBe(202);
    }
  });

  it('include an id in upper or lower case', async () => {
    const { body } = await server.send();
    const { status, body: read } = await server.call('GET', `/emails/${body.id.toUpperCase()}`);
    expect([status, read.id]).toEqual([200, body.id]);
  });

  it('return at most 100 of a million errors, each with a bounded message', async () => {
    const to = Array.from({ length: 400 }, () => 'x'.repeat(2_000));
    const { body } = await server.send({ to, ['k'.repeat(100_000)]: 1 });
    expect(pathsOf(body)).toHaveLength(100);
    expect(JSON.stringify(body).length).toBeLessThan(60_000);
  });

  it('report what is wrong in the terms of JSON', async () => {
    const { body } = await server.send({ subject: '', html: 5, tags: 'x', metadata: { ['k'.repeat(65)]: 'v' } });
    expect(pathsOf(body)).toEqual(
      expect.arrayContaining([
        { path: 'subject', code: 'too_short', message: 'must have at least 1 character' },
        { path: 'html', code: 'invalid_type', message: 'must be a string' },
        { path: 'tags', code: 'invalid_type', message: 'must be an array' },
      ]),
    );
    expect(pathsOf(body).find(({ path }) => path.startsWith('metadata'))).toMatchObject({ code: 'too_long' });
    const several = await server.send({ to: null, cc: 'a@sandbox.test, b@sandbox.test', bcc: 'Ada <ada@sandbox.test' });
    expect(pathsOf(several.body)).toEqual([
      { path: 'to', code: 'invalid_type', message: 'must be a string or an array' },
      expect.objectContaining({
        path: 'cc',
        message: 'is more than one address; pass each address as an item of a list',
      }),
      expect.objectContaining({ path: 'bcc', message: 'has a `<` without a `>` at its end' }),
    ]);
    const key = await server.call('POST', '/keys', { body: { name: 'k', scopes: ['nope'] } });
    expect(pathsOf(key.body)[0]?.message).toMatch(/"full"$/);
    const { body: repeated } = await server.call('GET', '/emails?status=queued&status=sent');
    expect(pathsOf(repeated)).toEqual([
      expect.objectContaining({ path: 'status', message: 'is passed more than once; pass it once' }),
    ]);
  });

  it('reject a header that is not UTF-8 instead of storing something else', async () => {
    const response = await server.send({}, { headers: { 'x-service-agent': 'caf\xe9' } });
    expect([response.status, response.body.errors?.[0]?.path]).toEqual([422, 'x-service-agent']);
  });

  it('leave an entry in the request log even when nothing is served', async () => {
    await server.call('GET', '/nothing-here', { headers: { 'x-request-id': 'edge-404' } });
    await server.call('DELETE', '/health', { headers: { 'x-request-id': 'edge-405' } });
    const logged = async () => {
      const { body } = await server.call('GET', '/requests?limit=100');
      return (body.requests as { id: string; status: number; code: string }[])
        .filter(({ id }) => id.startsWith('edge-'))
        .map(({ id, status, code }) => [id, status, code]);
    };
    await expect.poll(logged).toEqual(
      expect.arrayContaining([
        ['edge-404', 404, 'not_found'],
        ['edge-405', 405, 'method_not_allowed'],
      ]),
    );
  });
});

describe('a request that needs no body', () => {
  const json = { 'content-type': 'application/json' };
  const queued = async () => {
    const { body } = await server.send({ scheduled_at: 'PT1H' });
    return body.id as string;
  };

  it('may declare a content type and be empty, or an empty object', async () => {
    expect((await server.call('DELETE', `/emails/${await queued()}`, { headers: json, rawBody: '' })).status).toBe(200);
    expect((await server.call('POST', `/emails/${await queued()}/cancel`, { headers: json, rawBody: '' })).status).toBe(
      200,
    );
    expect((await server.call('POST', `/emails/${await queued()}/cancel`, { body: {} })).status).toBe(200);
  });

  it('reports fields that would be ignored', async () => {
    const response = await server.call('POST', `/emails/${await queued()}/cancel`, { body: { reason: 'x' } });
    expect([response.status, pathsOf(response.body)[0]]).toEqual([
      422,
      expect.objectContaining({ path: 'reason', code: 'unknown_field' }),
    ]);
  });

  it('does not change one that needs a body', async () => {
    const response = await server.call('POST', '/emails', { headers: json, rawBody: '' });
    expect([response.status, response.body.code]).toEqual([400, 'invalid_json']);
  });
});

describe('unusual values in a request', () => {
  it('include a bound before the year 1: rejected, not a server error', async () => {
    for (const from of ['0000-01-01', '0000-06-01T00:00:00Z', '0001-01-01T00:00:00%2B14:00']) {
      const response = await server.call('GET', `/emails?from=${from}`);
      expect([response.status, response.body.code]).toEqual([422, 'validation_failed']);
    }
  });

  it('include a number passed twice', async () => {
    const { body } = await server.call('GET', '/emails?limit=1&limit=2');
    expect(pathsOf(body)[0]).toMatchObject({ path: 'limit', message: 'is passed more than once; pass it once' });
  });

  it('include a tag filter repeated too often', async () => {
    const tags = (count: number) => Array.from({ length: count }, (_, n) => `tag=a${n}`).join('&');
    expect((await server.call('GET', `/emails?${tags(10)}`)).status).toBe(200);
    const { body } = await server.call('GET', `/emails?${tags(11)}`);
    expect(pathsOf(body)).toEqual([{ path: 'tag', code: 'too_many', message: 'must be at most 10 different tags' }]);
  });

  it('include values of spaces alone, which readers would not see', async () => {
    for (const [field, path] of [
      [{ subject: ' \u00a0 ' }, 'subject'],
      [{ agent_name: '  ' }, 'agent_name'],
      [{ tags: ['ok', ' '] }, 'tags.1'],
    ] as const) {
      const { status, body } = await server.send(field);
      expect([status, pathsOf(body)]).toEqual([
        422,
        [{ path, code: 'too_short', message: 'must not consist of spaces alone' }],
      ]);
    }
  });

  it('include a rejected type behind an invisible character', async () => {
    const attachments = [{ filename: 'a.exe\u200b', content: 'aGk=' }];
    const response = await server.send({ attachments });
    expect(response.body.code).not.toBe('queued');
    expect(response.status).toBe(422);
  });

  it('include a permanent suppression over one that would end', async () => {
    const email = 'soon@example.com';
    const expiresAt = new Date(server.clock.now().getTime() + 3_600_000).toISOString();
    expect((await server.call('POST', '/suppressions', { body: { email, expiresAt } })).status).toBe(201);
    await server.call('POST', '/suppressions', { body: { email, reason: 'complaint', note: 'for good' } });
    const { body } = await server.call('GET', `/suppressions/${email}`);
    expect(body).toMatchObject({ email, reason: 'complaint', note: 'for good', expiresAt: null });
  });
});

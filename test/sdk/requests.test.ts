import { CHANNELS } from '@postrider/core';
import { Postrider, type SendRequest } from '@postrider/sdk';
import { describe, expect, it } from 'vitest';
import { type Reply, startScriptedServer } from './scripted-server.ts';

const ok: Reply = { status: 200, headers: { 'x-request-id': 'req-7' }, body: { id: 'm1' } };
const email: SendRequest = { from: 'app@example.com', to: ['ada@example.org'], subject: 'Hello', text: 'Hi Ada' };

function clientOf(server: { readonly baseUrl: string }, path = '') {
  return new Postrider({ apiKey: 'pr_live_test', baseUrl: `${server.baseUrl}${path}` });
}

describe('a client', () => {
  it('accepts a key, and a base URL, time limit and retries of the caller’s', {
    tags: ['contract-surfaces.sdk-client'],
  }, async () => {
    await using server = await startScriptedServer([ok]);
    const client = new Postrider({ apiKey: 'pr_live_test', baseUrl: server.baseUrl, timeoutMs: 5_000, maxRetries: 0 });
    await client.keys.self();
    expect(server.received[0]).toMatchObject({ method: 'GET', url: '/keys/self' });
    expect(server.received[0]?.headers['authorization']).toBe('Bearer pr_live_test');
    expect(server.received[0]?.headers['user-agent']).toBe('postrider-sdk/0.1.0');
  });

  it('sends no authorization without a key', async () => {
    await using server = await startScriptedServer([ok]);
    await new Postrider({ apiKey: null, baseUrl: server.baseUrl }).service.health();
    expect(server.received[0]?.headers['authorization']).toBeUndefined();
  });

  it.each(['', '/', '//'])('finds the API below a base URL that ends in %j', async (ending) => {
    await using server = await startScriptedServer([ok]);
    await clientOf(server, ending).emails.get('m1');
    expect(server.received[0]?.url).toBe('/emails/m1');
  });

  it('keeps the path of its base URL', async () => {
    await using server = await startScriptedServer([ok, ok]);
    await clientOf(server, '/mail/v1/').emails.get('m1');
    await clientOf(server, '/mail').service.information();
    expect(server.received.map(({ url }) => url)).toEqual(['/mail/v1/emails/m1', '/mail/']);
  });

  it.each(['mail.example', 'ftp://mail.example', 'https://u:secret@mail.example', 'https://mail.example/?a=secret'])(
    'rejects the base URL %s and does not repeat it',
    (baseUrl) => {
      const create = () => new Postrider({ apiKey: 'k', baseUrl });
      expect(create).toThrow(/^baseUrl /);
      expect(create).not.toThrow('secret');
    },
  );
});

describe('an operation', () => {
  it('is called by its id: emails.send, emails.get and emails.list', {
    tags: ['contract-surfaces.sdk-emails'],
  }, async () => {
    const list: Reply = { status: 200, body: { messages: [], total: 0, totalIsEstimate: false, nextCursor: null } };
    await using server = await startScriptedServer([ok, ok, list]);
    const client = clientOf(server);
    await client.emails.send(email);
    await client.emails.get('m1', { wait: 3 });
    await client.emails.list({ status: 'sent' });
    expect(server.received.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /emails',
      'GET /emails/m1?wait=3',
      'GET /emails?status=sent',
    ]);
  });

  it('keeps an id one segment of the path, whatever it contains', async () => {
    await using server = await startScriptedServer([ok]);
    await clientOf(server).emails.get('../keys/self?x=1#y');
    expect(server.received[0]?.url).toBe('/emails/..%2Fkeys%2Fself%3Fx%3D1%23y');
  });

  it.each(['', '.', '..'])('is not called with the id %j, which would be another path', async (id) => {
    await using server = await startScriptedServer([ok]);
    await expect(clientOf(server).emails.get(id)).rejects.toThrow(TypeError);
    expect(server.received).toHaveLength(0);
  });

  it('returns text unchanged when the operation returns text', async () => {
    const yaml: Reply = { status: 200, headers: { 'content-type': 'application/yaml' }, body: 'openapi: 3.1.0\n' };
    await using server = await startScriptedServer([yaml]);
    expect(await clientOf(server).service.openapiYaml()).toBe('openapi: 3.1.0\n');
  });

  it('can be called by id with its input by place, and returns status, headers and request id too', async () => {
    await using server = await startScriptedServer([ok]);
    const input = { params: { id: 'm1' }, query: { wait: undefined }, headers: {}, body: undefined };
    const response = await clientOf(server).requestOperation('emails.get', input);
    expect(response).toMatchObject({ status: 200, data: { id: 'm1' }, requestId: 'req-7' });
    expect(response.headers['content-type']).toBe('application/json');
    expect(server.received[0]?.url).toBe('/emails/m1');
  });
});

describe('the channel of a send', () => {
  it('is sdk', { tags: ['contract-sending.channel-clients'] }, async () => {
    await using server = await startScriptedServer([ok, ok]);
    const client = clientOf(server);
    await client.emails.send(email);
    await client.requestOperation('emails.send', { body: { ...email, channel: undefined } });
    expect(server.received.map(({ body }) => JSON.parse(body))).toEqual([
      { ...email, channel: 'sdk' },
      { ...email, channel: 'sdk' },
    ]);
  });

  it.each(CHANNELS)('is %s when the caller says so', async (channel) => {
    await using server = await startScriptedServer([ok]);
    await clientOf(server).emails.send({ ...email, channel });
    expect(JSON.parse(server.received[0]?.body ?? '')).toEqual({ ...email, channel });
  });

  it('is not added to a body that is not an object: the server reports what is wrong with it', async () => {
    await using server = await startScriptedServer([ok]);
    await clientOf(server).requestOperation('emails.send', { body: [email] });
    expect(JSON.parse(server.received[0]?.body ?? '')).toEqual([email]);
  });
});

describe('a request by method and path', () => {
  it('is sent as written', async () => {
    await using server = await startScriptedServer([ok]);
    const query = { tag: ['a', 'b c'], limit: 5, q: undefined, exact: true };
    const headers = { 'X-Request-Id': 'mine', 'user-agent': 'postrider-cli/0.1.0' };
    const response = await clientOf(server).request({
      method: 'POST',
      path: '/things',
      query,
      headers,
      body: { a: 1 },
    });
    expect(response).toMatchObject({ status: 200, data: { id: 'm1' }, requestId: 'req-7' });
    expect(server.received[0]).toMatchObject({ url: '/things?tag=a&tag=b+c&limit=5&exact=true', body: '{"a":1}' });
    expect(server.received[0]?.headers).toMatchObject({
      ...{ 'x-request-id': 'mine' },
      'user-agent': 'postrider-cli/0.1.0',
    });
  });

  it('has no body and no content type when none is passed', async () => {
    await using server = await startScriptedServer([{ status: 204 }]);
    const response = await clientOf(server).request({ method: 'DELETE', path: '/things/1' });
    expect(response).toMatchObject({ status: 204, data: null });
    expect(server.received[0]?.headers['content-type']).toBeUndefined();
  });

  it('is sent only to the base URL', async () => {
    const client = new Postrider({ apiKey: 'pr_live_test' });
    await expect(client.request({ method: 'GET', path: 'https://elsewhere.example/' })).rejects.toThrow(TypeError);
    await expect(client.request({ method: 'GET', path: '@elsewhere.example/' })).rejects.toThrow(TypeError);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectInvalid } from '../../harness/expect-problem.ts';
import { type CallOptions, startTestApp, type TestApp } from '../../harness/test-app.ts';

describe('the provenance of a send', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  async function provenanceOf(body: Readonly<Record<string, unknown>>, options: CallOptions = {}) {
    const sent = await server.send(body, options);
    expect(sent.status, JSON.stringify(sent.body)).toBe(202);
    const { channel, source, agentName } = (await server.call('GET', `/emails/${sent.body.id}`)).body;
    return { channel, source, agentName };
  }

  it('is `api`, `backend` and no agent by default', {
    tags: ['service.provenance', 'contract-sending.provenance'],
  }, async () => {
    expect(await provenanceOf({})).toEqual({ channel: 'api', source: 'backend', agentName: null });
  });

  it('is taken from the body', { tags: ['emails-send.provenance-body'] }, async () => {
    const given = { source: 'agent', agent_name: 'billing-bot' };
    expect(await provenanceOf(given)).toEqual({ channel: 'api', source: 'agent', agentName: 'billing-bot' });
  });

  it('is taken from the headers', { tags: ['emails-send.provenance-headers'] }, async () => {
    const headers = { 'X-Service-Agent': 'header-bot', 'X-Service-Source': 'automation' };
    expect(await provenanceOf({}, { headers })).toEqual({
      channel: 'api',
      source: 'automation',
      agentName: 'header-bot',
    });
  });

  it('is from the body first, then the headers, then the key, then the default, field by field', {
    tags: ['emails-send.provenance-precedence', 'contract-sending.provenance'],
  }, async () => {
    const headers = { 'X-Service-Agent': 'header-bot', 'X-Service-Source': 'automation' };
    const body = { source: 'system', agent_name: 'body-bot' };
    expect(await provenanceOf(body, { headers })).toMatchObject({ source: 'system', agentName: 'body-bot' });
    expect(await provenanceOf({ source: 'system' }, { headers })).toMatchObject({
      source: 'system',
      agentName: 'header-bot',
    });
    expect(await provenanceOf({ agent_name: 'body-bot' }, { headers })).toMatchObject({
      source: 'automation',
      agentName: 'body-bot',
    });
    const key = await server.newKey();
    await server.database.sql`
      UPDATE api_keys SET persona_source = 'agent', persona_agent_name = 'persona' WHERE last4 = ${key.slice(-4)}`;
    expect(await provenanceOf({}, { key })).toMatchObject({ source: 'agent', agentName: 'persona' });
    expect(await provenanceOf({}, { key, headers })).toMatchObject({ source: 'automation', agentName: 'header-bot' });
  });

  it.each(['api', 'sdk', 'mcp', 'smtp'])(
    'accepts and keeps the channel %s over REST',
    { tags: ['send-request.channel', 'contract-sending.channel-rest'] },
    async (channel) => {
      expect(await provenanceOf({ channel })).toMatchObject({ channel });
    },
  );

  it('defaults to the source `agent` for the channel mcp', async () => {
    expect(await provenanceOf({ channel: 'mcp' })).toMatchObject({ source: 'agent' });
    expect(await provenanceOf({ channel: 'mcp', source: 'system' })).toMatchObject({ source: 'system' });
  });

  it.each(['agent', 'backend', 'automation', 'system'])(
    'accepts and keeps the source %s',
    { tags: ['send-request.source'] },
    async (source) => {
      expect(await provenanceOf({ source })).toMatchObject({ source });
      expect(await provenanceOf({}, { headers: { 'X-Service-Source': source } })).toMatchObject({ source });
    },
  );

  it('rejects any other channel or source, and names the place', {
    tags: ['send-request.channel', 'send-request.source'],
  }, async () => {
    for (const value of ['API', 'fax', '', null, 5]) {
      expectInvalid(await server.send({ channel: value }), 'channel');
      expectInvalid(await server.send({ source: value }), 'source');
    }
    const headers = { 'X-Service-Source': 'robot' };
    expectInvalid(await server.send({}, { headers }), ['x-service-source', 'invalid_value']);
    expectInvalid(await server.send({ source: 'agent' }, { headers }), 'x-service-source');
  });

  it('accepts an agent name of 1 to 128 characters', {
    tags: ['send-request.agent-name', 'limits.agent-name'],
  }, async () => {
    expect(await provenanceOf({ agent_name: 'x' })).toMatchObject({ agentName: 'x' });
    expect(await provenanceOf({ agent_name: 'x'.repeat(128) })).toMatchObject({ agentName: 'x'.repeat(128) });
    expectInvalid(await server.send({ agent_name: 'x'.repeat(129) }), ['agent_name', 'too_long']);
    expectInvalid(await server.send({ agent_name: '' }), ['agent_name', 'too_short']);
    expectInvalid(await server.send({ agent_name: null }), ['agent_name', 'invalid_type']);
    const long = { headers: { 'X-Service-Agent': 'x'.repeat(129) } };
    expectInvalid(await server.send({}, long), ['x-service-agent', 'too_long']);
  });

  it('reads agent names in headers as UTF-8', async () => {
    const bytes = Buffer.from('Bücher-Bot 你好').toString('latin1');
    expect(await provenanceOf({}, { headers: { 'X-Service-Agent': bytes } })).toMatchObject({
      agentName: 'Bücher-Bot 你好',
    });
  });
});

import { ALL_SCOPES, OPERATIONS, type Operation, type OperationId, resourceOf, type Scope } from '@postrider/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDnsServer, type TestDnsServer } from '../harness/dns-server.ts';
import { type EventStream, openEventStream } from '../harness/event-stream.ts';
import { expectProblem } from '../harness/expect-problem.ts';
import { startTestApp, type TestApp, type TestResponse } from '../harness/test-app.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts';
import { type AccountWorld, createAccountWorld } from '../http/documented/account-world.ts';
import { validRequest } from '../http/documented/valid-requests.ts';
import { operationSurfaces } from './restricted/every-surface.ts';

/** What another key put where a reader without these scopes must not see it. Each is its own word. */
const SECRETS = {
  'a blind recipient': 'kestrel-blind',
  'a blind recipient of a held send': 'osprey-blind',
  metadata: 'kestrel-metadata',
  'a reply address': 'kestrel-reply',
  'the HTML': 'kestrel-html',
  'the text': 'kestrel-text',
  'a header': 'kestrel-header',
  'a file': 'kestrel-file',
  'the text of a held send': 'osprey-text',
  'a draft': 'merlin-draft',
  'the path of a webhook URL': 'merlin-path',
  'what a receiver responded': 'merlin-response',
} as const;
const UNSEEING: readonly Scope[] = ['emails:content-all', 'approvals:read', 'approvals:decide', 'webhooks:write'];

const ALL: readonly (Operation & { readonly id: OperationId })[] = OPERATIONS;
/** What reads comes first, since what deletes leaves nothing to be read. */
const EFFECTS = ['read', 'send', 'create', 'update', 'delete'];
const TRIED = ALL.filter(({ id, reach }) => reach !== 'controls' || /^(approvals|templates)\./.test(id))
  .filter(({ id }) => !/^(service|auth|tools)\./.test(id) && id !== 'webhooks.stream')
  .toSorted((a, b) => EFFECTS.indexOf(a.effect) - EFFECTS.indexOf(b.effect));

describe('what a key sees of another key’s data', () => {
  let server: TestApp;
  let dns: TestDnsServer;
  let receiver: WebhookReceiver;
  let world: AccountWorld;
  let targets: Readonly<Record<string, string>>;
  const streams: EventStream[] = [];
  beforeAll(async () => {
    dns = await startDnsServer();
    server = await startTestApp({ dnsServers: [dns.address] });
    const respond = SECRETS['what a receiver responded'];
    receiver = await startWebhookReceiver((_event, response) => void response.writeHead(200).end(respond));
    world = await createAccountWorld(server, 'sight');
    targets = await makeTargets(world, receiver.url);
  });
  afterAll(async () => {
    for (const stream of streams) stream.close();
    await receiver.close();
    await server.close();
    await dns.close();
  });

  const hooked = () => receiver.received.filter(({ path }) => path.endsWith('/hook')).map(({ body }) => body);
  const eventsOf = (id: string) => hooked().filter((body) => body.includes(id));
  const keyOf = async (scopes: readonly Scope[]) => await server.newKey({ accountId: world.accountId, scopes });
  const seeing = async () => await keyOf(ALL_SCOPES);
  const unseeing = async () => await keyOf(ALL_SCOPES.filter((scope) => !UNSEEING.includes(scope)));
  const foundIn = (text: string) =>
    Object.entries(SECRETS).flatMap(([what, word]) => (text.toLowerCase().includes(word) ? [what] : []));

  /** Every operation over REST and MCP, pointed at what the other key made; what came back, by the call. */
  async function readEverything(key: string, operations: typeof TRIED): Promise<ReadonlyMap<string, string>> {
    const texts = new Map<string, string>();
    for (const operation of operations) {
      const { params = {}, ...request } = await validRequest(operation.id, keepingWebhooks(world));
      const target = targets[resourceOf(operation)];
      const aimed = target === undefined || params['id'] === undefined ? params : { ...params, id: target };
      const responses: TestResponse[] = [];
      const call = async (...given: Parameters<TestApp['call']>) => {
        const response = await server.call(...given);
        responses.push(response);
        return response;
      };
      for (const surface of operationSurfaces({ ...server, call })) {
        if (surface.name !== 'REST' && surface.name !== 'MCP') continue; // The SDK and the CLI call the REST API.
        await surface.call(operation, { ...request, params: aimed }, key);
      }
      texts.set(operation.id, JSON.stringify(responses.map(({ body, headers }) => [body, [...headers]])));
    }
    for (const [name, id] of Object.entries({ messages: targets['emails'], ...targets })) {
      const uri = `email://${name}/${id}`;
      const body = { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri } };
      const headers = { accept: 'application/json', 'mcp-protocol-version': '2025-11-25' };
      const response = await server.call('POST', '/mcp', { key, headers, body });
      texts.set(`the resource ${uri}`, JSON.stringify(response.body));
    }
    return texts;
  }

  it('is everything for a key with every scope, so that the next test can fail', {
    tags: ['holes.sight'],
    timeout: 60_000,
  }, async () => {
    const reads = TRIED.filter(({ effect }) => effect === 'read');
    const texts = await readEverything(await seeing(), reads);
    expect(foundIn([...texts.values()].join('\n')).sort()).toEqual(Object.keys(SECRETS).sort());
  });

  it('contains nothing private by any operation without the scopes for it', {
    tags: ['holes.sight'],
    timeout: 120_000,
  }, async () => {
    const texts = await readEverything(await unseeing(), TRIED);
    expect(texts.size).toBeGreaterThan(60);
    const leaks = [...texts].flatMap(([name, text]) => foundIn(text).map((what) => `${name} shows ${what}`));
    expect(leaks).toEqual([]);
  });

  it('contains no matches in hidden fields, in lists, counts and exports', { tags: ['holes.sight'] }, async () => {
    const [blind, all] = [await unseeing(), await seeing()];
    const email = `${SECRETS['a blind recipient']}@sandbox.test`;
    for (const query of [`q=${SECRETS['a blind recipient']}`, `recipient=${email}`]) {
      const [hidden, shown] = await Promise.all(
        [blind, all].map((key) => server.call('GET', `/emails?${query}`, { key })),
      );
      expect([hidden?.body.total, hidden?.body.messages]).toEqual([0, []]);
      expect(shown?.body.total).toBeGreaterThan(0);
      const file = await server.call('GET', `/emails/export?format=json&${query}`, { key: blind });
      expect(file.body).toEqual([]);
    }
    const own = await server.send({ bcc: email }, { key: blind });
    const found = await server.call('GET', `/emails?recipient=${email}`, { key: blind });
    expect(found.body.messages.map(({ id }: { id: string }) => id)).toEqual([own.body.id]);
    const read = await server.call('GET', `/emails/${own.body.id}`, { key: blind });
    expect(read.body).toMatchObject({ bcc: [email], contentRedacted: false, redacted: [] });
  });

  it('contains no bcc recipient in the error of a resend', { tags: ['holes.sight'] }, async () => {
    const key = await keyOf(['emails:send', 'emails:read']);
    const { body: read } = await server.call('GET', `/emails/${targets['blindOnly']}`, { key });
    expect(read.redacted).toContain('recipients'); // So a refusal because of them reveals nothing new.
    const refused = await server.call('POST', `/emails/${targets['blindOnly']}/resend`, { key });
    expectProblem(refused, 403, 'missing_scope');
    expect(refused.body.recipients).toBeUndefined();
    expect(foundIn(JSON.stringify(refused.body))).toEqual([]);
  });

  it('contains no more in the hold of a resend, nor in what a decision returns', {
    tags: ['holes.sight'],
  }, async () => {
    const { bcc: _, ...visible } = message();
    const sent = await world.make('POST', '/emails', visible);
    const key = await keyOf(['emails:send', 'emails:read', 'emails:content']);
    const { id: keyId } = (await server.call('GET', '/keys/self', { key })).body;
    await server.database.sql`UPDATE api_keys SET approval_mode = 'always' WHERE id = ${keyId}`;
    server.clock.advance(1_000);
    const held = await server.call('POST', `/emails/${sent.id}/resend`, { key });
    expect(held.body.status).toBe('pending_approval');
    const place = `/keys/approvals/${held.body.approvalId}`;
    const own = await server.call('GET', place, { key });
    expect(own.body).toMatchObject({ subject: 'Hello', bcc: [], replyTo: null, html: null, attachments: [] });
    // Anyone can compute the hash of a guess, and this message is not the key's to know.
    const listed = await server.call('GET', '/keys/approvals', { key });
    const full = await server.call('GET', place, { key: await keyOf(['approvals:read']) });
    expect([own.body, ...listed.body.approvals].map(({ contentHash }) => contentHash)).toEqual([null, null]);
    expect(full.body.contentHash).toMatch(/^[0-9a-f]{64}$/);
    const decider = await keyOf(['approvals:decide']);
    const decided = await server.call('POST', place, { key: decider, body: { decision: 'approve' } });
    expect(decided.body.status).toBe('approved');
    expect(foundIn(JSON.stringify([own.body, decided.body]))).toEqual([]);
    expect(decided.body.contentHash).toBeNull();
  });

  it('is the same in streams and on its endpoint, and changes of scopes take effect', {
    tags: ['holes.sight'],
  }, async () => {
    const key = await unseeing();
    const hooks = await keyOf(['webhooks:write', 'webhooks:read']);
    const { id: keyId } = (await server.call('GET', '/keys/self', { key: hooks })).body;
    for (const { id } of (await world.make('GET', '/webhooks')).webhooks) await world.make('DELETE', `/webhooks/${id}`);
    const endpoint = await server.call('POST', '/webhooks', { key: hooks, body: { url: `${receiver.url}/hook` } });
    expect(endpoint.status).toBe(201);
    const stream = await openEventStream(server, '', { key });
    streams.push(stream);
    await stream.next();
    const { body } = await server.send(message(), { key: await seeing() });
    const types: string[] = [];
    while (types.filter((type) => type === 'email.delivered').length < 2) types.push((await stream.next()).event);
    expect(foundIn(stream.text)).toEqual([]);
    expect(stream.text).toContain(body.id);
    await expect.poll(() => eventsOf(body.id).length).toBeGreaterThan(3);
    expect(foundIn(hooked().join('\n'))).toEqual([]);
    await server.database.sql`UPDATE api_keys SET scopes = scopes || '{emails:content-all}' WHERE id = ${keyId}`;
    server.clock.advance(1_000);
    const next = await server.send(message(), { key: await seeing() });
    await expect.poll(() => eventsOf(next.body.id).length).toBeGreaterThan(3);
    expect(foundIn(hooked().join('\n'))).toContain('metadata');
  });

  it('contains drafts for their author, for approvers and for users', { tags: ['holes.others-drafts'] }, async () => {
    const { headers: author } = world.credential('a held key');
    const { headers: viewer } = world.credential('a session of role viewer');
    const { id } = await world.make('POST', '/templates', { name: 'Bill', subject: 'Hi', text: 'Hi {{ name }}' });
    await server.call('PATCH', `/templates/${id}`, { key: null, headers: author, body: { subject: 'New' } });
    const read = async (headers: Readonly<Record<string, string>>) =>
      await server.call('GET', `/templates/${id}?version=2`, { key: null, headers });
    for (const headers of [author, viewer]) expect((await read(headers)).body.status).toBe('draft');
    const reader = { authorization: `Bearer ${await unseeing()}` };
    expect((await read(reader)).status).toBe(404);
    const rendered = await server.call('POST', `/templates/${id}/render`, {
      ...{ key: null, headers: reader, body: { version: 2, variables: { name: 'Ada' } } },
    });
    expect(rendered.status).toBe(422);
    const approver = { authorization: `Bearer ${await keyOf(['templates:read', 'approvals:decide'])}` };
    expect((await read(approver)).body.status).toBe('draft');
  });
});

/** The fixtures make room for a new webhook endpoint by removing the others. */
function keepingWebhooks(world: AccountWorld): AccountWorld {
  const isList = (method: string, path: string) => method === 'GET' && path === '/webhooks';
  return {
    ...world,
    credential: (name) => world.credential(name),
    make: async (method, path, body) =>
      isList(method, path) ? { webhooks: [] } : await world.make(method, path, body),
  };
}

/** A message of another key, with a secret in each field that a log does not show. */
function message(blind: string = SECRETS['a blind recipient'], text: string = SECRETS['the text']) {
  return {
    from: 'Ada <ada@sandbox.test>',
    to: 'delivered@sandbox.test',
    bcc: `${blind}@sandbox.test`,
    reply_to: `${SECRETS['a reply address']}@sandbox.test`,
    subject: 'Hello',
    html: `<p>${SECRETS['the HTML']}</p>`,
    text,
    headers: { 'X-Secret': SECRETS['a header'] },
    metadata: { order: SECRETS.metadata },
    attachments: [{ filename: `${SECRETS['a file']}.txt`, content: Buffer.from('x').toString('base64') }],
  };
}

/** One thing of each kind that a key can name, made by other keys. */
async function makeTargets(world: AccountWorld, receiverUrl: string): Promise<Readonly<Record<string, string>>> {
  const { server } = world;
  const asHeld = async (method: string, path: string, body: object) =>
    (await server.call(method, path, { key: null, headers: world.credential('a held key').headers, body })).body;
  const path = `/${SECRETS['the path of a webhook URL']}?token=${SECRETS['the path of a webhook URL']}`;
  const webhook = await world.make('POST', '/webhooks', { url: `${receiverUrl}${path}` });
  const { id: emails } = await world.make('POST', '/emails', message());
  // Its blind recipient bounces, and so is suppressed because of this message.
  const bounced = `bounced+${SECRETS['a blind recipient']}@sandbox.test`;
  const blindOnly = await world.make('POST', '/emails', { ...message(), bcc: bounced });
  for (const id of [emails, blindOnly.id]) await world.make('GET', `/emails/${id}?wait=10`);
  const held = await asHeld(
    'POST',
    '/emails',
    message(SECRETS['a blind recipient of a held send'], SECRETS['the text of a held send']),
  );
  const template = await world.make('POST', '/templates', { name: 'Letter', subject: 'Hi', text: 'Hi {{ name }}' });
  await asHeld('PATCH', `/templates/${template.id}`, { subject: SECRETS['a draft'] });
  await asHeld('POST', '/templates', { name: 'New', slug: 'only-a-draft', subject: SECRETS['a draft'], text: 'Hi' });
  const ticket = await world.make('POST', '/support/tickets', { subject: 'Help', body: 'Why?', emailId: blindOnly.id });
  return {
    ...{ emails, blindOnly: blindOnly.id, approvals: held.approvalId, templates: template.id },
    ...{ tickets: ticket.id, webhooks: webhook.id },
  };
}

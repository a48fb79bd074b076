import { randomUUID } from 'node:crypto';
import { OPERATIONS } from '@postrider/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';
import { type OpenedDatabase, openWithoutFirstWall } from '../harness/without-first-wall.ts';
import { fillOtherAccount, MARK, type OtherAccount } from './other-account.ts';

/** Operations behind a key. Those that stream events are tested with the events, and with sessions. */
const STREAMING: readonly string[] = ['webhooks.stream', 'service.mcp-stream'];
const KEYED = OPERATIONS.filter(({ id, access }) => access.kind === 'key' && !STREAMING.includes(id));
const NAMING = KEYED.filter(({ path }) => path.includes('/:'));
const READING = KEYED.filter(({ method, path }) => method === 'GET' && !path.includes('/:'));

/** A body that each operation takes, where it takes one: shape is judged before existence. */
const BODIES: Readonly<Record<string, unknown>> = {
  'emails.reschedule': { scheduled_at: 'PT3H' },
  'keys.update': { name: 'taken' },
  'keys.rotate': { graceSeconds: 0 },
  'approvals.decide': { decision: 'approve' },
  'templates.update': { name: 'taken' },
  'templates.render': { variables: {} },
  'templates.test': { variables: {} },
  'domains.rotate': {},
  'tickets.reply': { body: 'taken' },
  'team.update': { role: 'viewer' },
  'webhooks.update': { description: 'taken' },
  'webhooks.rotate': {},
  'webhooks.replay': { since: '2026-01-01T00:00:00Z' },
};

/** What a key of another account may try: everything, deciding included, which `full` leaves out. */
const SCOPES = ['full', 'approvals:decide'];

describe.each([
  { wall: 'both layers', open: false },
  { wall: 'row-level security alone', open: true },
])('accounts are isolated by $wall', ({ open }) => {
  let database: TestDatabase;
  let opened: OpenedDatabase | null = null;
  let server: TestApp;
  let other: OtherAccount;
  let key: string;
  let before: Readonly<Record<string, string>>;
  beforeAll(async () => {
    database = await createTestDatabase();
    if (open) opened = await openWithoutFirstWall(database);
    server = await startTestApp({ database: opened?.database ?? database, settings: { POSTRIDER_ROLES: 'api' } });
    other = await fillOtherAccount(server);
    key = await server.newKey({ scopes: SCOPES as never });
    before = await other.fingerprint();
  });
  afterAll(async () => {
    await server.close();
    await opened?.close();
    await database.drop();
  });

  it.each(READING.map(({ id }) => id))('%s shows nothing of another account', async (id) => {
    const operation = READING.find((candidate) => candidate.id === id);
    const response = await server.call('GET', operation?.path ?? '', { key });
    expect(response.status).toBe(200);
    const text = JSON.stringify(response.body).toLowerCase();
    for (const secret of [MARK, other.accountId, ...Object.values(other.names).flat()]) {
      // A ticket's number is a number of other things too.
      if (!/^\d+$/.test(secret)) expect(text).not.toContain(secret);
    }
  });

  it.each(NAMING.map(({ id }) => id))(
    '%s responds for ids of another account as for unknown ones',
    { tags: ['contract-errors.404'] },
    async (id) => {
      const operation = NAMING.find((candidate) => candidate.id === id);
      const kind = id.slice(0, id.indexOf('.'));
      const names = other.names[kind];
      if (operation === undefined || names === undefined)
        throw new Error(`nothing of the kind ${kind} is in the other account`);
      const ask = async (name: string) => {
        const path = operation.path.replaceAll(/:\w+/g, encodeURIComponent(name));
        const body = 'body' in operation ? { body: BODIES[id] ?? {} } : {};
        const response = await server.call(operation.method, path, { key, ...body });
        // The address in `type` says no more than `code`, and has numbers in it that are not what was asked for.
        const { requestId: _id, type: _type, ...problem } = response.body;
        return {
          status: response.status,
          problem: JSON.stringify(problem).replaceAll(new RegExp(`\\b${name}\\b`, 'g'), ':name'),
        };
      };
      for (const name of names) {
        const foreign = await ask(name);
        expect(foreign).toEqual(await ask(unknownLike(name)));
        expect(foreign).toMatchObject({ status: 404, problem: expect.stringContaining('"not_found"') });
      }
    },
  );

  it('searches and filtered exports find nothing of another account', async () => {
    for (const filter of [
      `q=${MARK}`,
      `tag=${MARK}`,
      'channel=api',
      'status=queued&tag=bravo',
      'recipient=delivered%2Bbravo@sandbox.test',
    ]) {
      const found = await server.call('GET', `/emails?${filter}`, { key });
      expect(found.body).toMatchObject({ messages: [], total: 0 });
      const exported = await server.call('GET', `/emails/export?format=jsonl&${filter}`, { key });
      expect({ status: exported.status, body: exported.body }).toEqual({ status: 200, body: '' });
    }
  });

  it('statistics count nothing of another account', async () => {
    const stats = await server.call('GET', '/account/stats?provenance=true&by_tag=true&bounces=true&engagement=true', {
      key,
    });
    expect(stats.body).toMatchObject({ sent: 0, delivered: 0 });
    const volume = await server.call('GET', '/account/volume', { key });
    expect(volume.body.every(({ sent }: { readonly sent: number }) => sent === 0)).toBe(true);
  });

  it('ids within bodies lead to nothing of another account', async () => {
    const [emailId = '', templateId = '', requestId = '', approvalId = ''] = [
      'emails',
      'templates',
      'requests',
      'approvals',
    ].map((kind) => other.names[kind]?.[0] ?? '');
    const ticket = await server.call('POST', '/support/tickets', {
      key,
      body: { subject: 'x', body: 'x', emailId, requestId },
    });
    expect(ticket.body.context).toMatchObject({ emailTrail: null, requestLog: null });
    const sent = await server.call('POST', '/emails', {
      key,
      body: { from: 'ada@sandbox.test', to: 'delivered@sandbox.test', template: templateId },
    });
    expect(sent).toMatchObject({ status: 422, body: { code: 'template_not_found' } });
    const decided = await server.call('POST', '/keys/approvals', {
      key,
      body: { decisions: [{ id: approvalId, decision: 'approve' }] },
    });
    expect(JSON.stringify(decided.body)).not.toContain(MARK);
  });

  it('changes to the own account change no other', async () => {
    await server.call('PATCH', '/account', { key, body: { name: 'Alpha', trackOpens: true } });
    await server.call('DELETE', '/account', { key });
    await server.call('POST', '/account/pause', { key });
    const accounts = await server.database.sql`
      SELECT name, track_opens, paused_at IS NOT NULL AS paused, deletion_scheduled_at IS NOT NULL AS ends FROM accounts
      WHERE id = ${server.accountId}`;
    expect([...accounts]).toEqual([{ name: 'Alpha', track_opens: true, paused: true, ends: true }]);
    await server.call('POST', '/account/resume', { key });
  });

  it('handlers for keys find no database that is not bound to the account', () => {
    // Whose a domain's name is lies between accounts.
    expect(findUnbound(server.app.services.forAccount(server.accountId), [])).toEqual(['domains.tools.names']);
  });

  it('none of these calls changed a row of the other account', async () => {
    expect(await other.fingerprint()).toEqual(before);
    if (opened !== null) expect(opened.removed()).toBeGreaterThan(200);
  });
});

/** So that what is above can be trusted to see a wall that is missing. */
describe('with both layers of isolation removed', () => {
  it('another account’s messages are listed, read and canceled', async () => {
    const database = await createTestDatabase();
    const opened = await openWithoutFirstWall(database, { second: true });
    const server = await startTestApp({ database: opened.database, settings: { POSTRIDER_ROLES: 'api' } });
    try {
      const other = await fillOtherAccount(server);
      const [emailId = ''] = other.names['emails'] ?? [];
      expect(JSON.stringify((await server.call('GET', '/emails')).body)).toContain(emailId);
      expect((await server.call('GET', `/emails/${emailId}`)).body).toMatchObject({ subject: MARK });
      const before = await other.fingerprint();
      expect((await server.call('DELETE', `/emails/${emailId}`)).body).toMatchObject({ status: 'canceled' });
      expect(await other.fingerprint()).not.toEqual(before);
    } finally {
      await server.close();
      await opened.close();
      await database.drop();
    }
  });
});

/** The pools among the services that are not bound to an account, by their paths: those that hand out connections. */
function findUnbound(value: unknown, path: readonly string[], seen = new Set<unknown>()): readonly string[] {
  if (value === null || typeof value !== 'object' || seen.has(value)) return [];
  seen.add(value);
  if ('run' in value && 'reserve' in value) return [path.join('.')];
  return Object.entries(value).flatMap(([name, member]) => findUnbound(member, [...path, name], seen));
}

function unknownLike(name: string): string {
  if (/^\d+$/.test(name)) return '999999';
  if (name.includes('@')) return 'nobody@example.org';
  return name === MARK ? 'never-stored' : randomUUID().replace(/^.{14}./, `${name.slice(0, 14)}7`);
}

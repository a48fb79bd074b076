import { WEBHOOK_EVENT_NAMES, WEBHOOK_EVENT_SCHEMAS } from '@postrider/core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { announceExpiry } from '../../packages/server/src/keys/announce-expiry.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { readCaptured } from '../harness/captured-mail.ts';
import type { TestApp } from '../harness/test-app.ts';
import {
  isSignedWith,
  type ReceivedEvent,
  type Responding,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../harness/webhook-receiver.ts';
import { type DomainServer, startDomainServer } from '../operations/domains/domain-server.ts';

const DAY_MS = 86_400_000;

describe('events', () => {
  let domains: DomainServer;
  let server: TestApp;
  beforeAll(async () => {
    domains = await startDomainServer();
    server = domains.server;
  });
  afterAll(() => domains.close());

  const open: WebhookReceiver[] = [];
  const made: { id: string; key: string }[] = [];
  afterEach(async () => {
    for (const { id, key } of made.splice(0)) await server.call('DELETE', `/webhooks/${id}`, { key });
    for (const receiver of open.splice(0)) await receiver.close();
  });

  /** A receiver that is an endpoint of the account. */
  async function endpoint(
    body: Record<string, unknown> = {},
    { key = server.key, how = 200 as number | Responding } = {},
  ) {
    const receiver = await startWebhookReceiver(how);
    open.push(receiver);
    const created = await server.call('POST', '/webhooks', { key, body: { url: receiver.url, ...body } });
    expect(created.status).toBe(201);
    made.push({ id: created.body.id, key });
    return { ...receiver, id: created.body.id as string, secret: created.body.secret as string };
  }

  const ofType = (type: string) => (received: ReceivedEvent) => received.event.type === type;

  it('of a message reach the endpoint, signed, with the whole payload', {
    tags: [
      'events.payload',
      'events.payload-fields',
      'events.signed',
      'events.signature',
      'events.signature-headers',
      'contract-sending.metadata-webhooks',
      'contract-development.outbound',
      'service.webhooks',
    ],
  }, async () => {
    const { secret, first } = await endpoint();
    const sent = await server.send({ tags: ['a'], metadata: { order: '7' }, agent_name: 'bot' });
    const delivered = await first(ofType('email.delivered'));
    const { body: message } = await server.settled(sent.body.id);
    const logged = message.events.find(({ type }: { type: string }) => type === 'delivered');
    expect(delivered.event).toEqual({
      ...{ id: logged.id, type: 'email.delivered', createdAt: logged.createdAt, apiVersion: 'v1' },
      data: {
        emailId: sent.body.id,
        seq: logged.seq,
        recipient: 'delivered@sandbox.test',
        from: 'Ada <ada@sandbox.test>',
        to: 'delivered@sandbox.test',
        subject: 'Hello',
        tags: ['a'],
        metadata: { order: '7' },
        channel: 'api',
        source: message.source,
        agentName: 'bot',
        classification: null,
        detail: logged.detail,
        occurredAt: logged.createdAt,
      },
    });
    expect(delivered.headers).toMatchObject({ 'webhook-id': logged.id, 'content-type': 'application/json' });
    const ageMs = Date.now() - Number(delivered.headers['webhook-timestamp']) * 1_000;
    expect(Math.abs(ageMs)).toBeLessThan(10_000);
    expect(isSignedWith(delivered, secret)).toBe(true);
  });

  it('of test addresses report every outcome, numbered as in the event log', {
    tags: [
      'contract-test-addresses.webhooks',
      'events.classification-field',
      'events.classification-field-name',
      'service.outcome-by-webhook',
    ],
  }, async () => {
    const { first, received } = await endpoint();
    const send = async (to: string) => (await server.send({ to: `${to}@sandbox.test` })).body.id as string;
    const expected: Record<string, readonly (readonly [string, string | null])[]> = {
      delivered: [
        ['email.queued', null],
        ['email.sent', null],
        ['email.delivered', null],
      ],
      deferred: [
        ['email.queued', null],
        ['email.deferred', null],
        ['email.sent', null],
        ['email.delivered', null],
      ],
      bounced: [
        ['email.queued', null],
        ['email.bounced', 'hard'],
      ],
      soft: [
        ['email.queued', null],
        ['email.bounced', 'soft'],
      ],
      blocked: [
        ['email.queued', null],
        ['email.bounced', 'block'],
      ],
      complained: [
        ['email.queued', null],
        ['email.sent', null],
        ['email.delivered', null],
        ['email.complained', 'spam'],
      ],
    };
    for (const [label, types] of Object.entries(expected)) {
      const id = await send(label);
      for (const [type] of types) await first(({ event }) => event.data.emailId === id && event.type === type);
      const notice = received.filter(({ event }) => event.data.emailId === id).map(({ event }) => event);
      notice.sort((a, b) => a.data.seq - b.data.seq);
      expect([label, notice.map(({ type, data }) => [type, data.classification])]).toEqual([label, types]);
      const { events } = (await server.call('GET', `/emails/${id}`)).body;
      expect(notice.map((event) => [event.id, event.data.seq])).toEqual(
        events.map((event: { id: string; seq: number }) => [event.id, event.seq]),
      );
    }
  });

  it('are sent by the types an endpoint selects, and all in their published formats', {
    tags: ['events.webhook-types'],
  }, async () => {
    const all = await endpoint();
    const few = await endpoint({ events: ['email.canceled', 'email.rescheduled'] });
    const soon = (minutes: number) => new Date(server.clock.now().getTime() + minutes * 60_000).toISOString();
    const { id } = (await server.send({ scheduled_at: soon(30) })).body;
    await server.call('PATCH', `/emails/${id}`, { body: { scheduled_at: soon(40) } });
    await server.call('POST', `/emails/${id}/cancel`);
    await few.first(ofType('email.canceled'));
    await few.first(ofType('email.rescheduled'));
    for (const type of ['email.queued', 'email.scheduled', 'email.rescheduled', 'email.canceled'])
      await all.first(ofType(type));
    expect(few.received.map(({ event }) => event.type).sort()).toEqual(['email.canceled', 'email.rescheduled']);
    for (const { event } of all.received) {
      expect(WEBHOOK_EVENT_SCHEMAS.get(event.type)?.safeParse(event).error).toBeUndefined();
    }
    expect([...WEBHOOK_EVENT_SCHEMAS.keys()]).toEqual(WEBHOOK_EVENT_NAMES);
  });

  it('have two signatures for 24 hours after a rotation', { tags: ['events.signature-headers'] }, async () => {
    const { id, secret, received, count } = await endpoint({ events: ['domain.failed'] });
    const test = () => server.call('POST', `/webhooks/${id}/test`);
    const signatures = (n: number) => String(received[n]?.headers['webhook-signature']).split(' ').length;
    await test();
    await count(1);
    const { secret: next } = (await server.call('POST', `/webhooks/${id}/rotate`)).body;
    await test();
    await count(2);
    // Once they are written down: a lease that ends before that would have them delivered again.
    const made = async () => (await server.call('GET', `/webhooks/${id}/deliveries?status=succeeded`)).body.total;
    await expect.poll(made, { timeout: 10_000 }).toBe(2);
    server.clock.advance(DAY_MS + 1_000);
    await test();
    await count(3);
    expect([signatures(0), signatures(1), signatures(2)]).toEqual([1, 2, 1]);
    const signedWith = (by: string) => received.map((event) => isSignedWith(event, by));
    expect([signedWith(secret), signedWith(next)]).toEqual([
      [true, true, false],
      [false, true, true],
    ]);
  });

  it('report suppressions, whatever their cause', { tags: ['events.payload-other-types'] }, async () => {
    const { first } = await endpoint({ events: ['suppression.added', 'suppression.removed'] });
    const { body: added } = await server.call('POST', '/suppressions', {
      body: { email: 'X@Example.com', note: 'why' },
    });
    const notice = await first(
      ({ event }) => event.type === 'suppression.added' && event.data.email === 'x@example.com',
    );
    expect(notice.event.data).toEqual(added);
    await server.call('DELETE', '/suppressions/x@example.com');
    expect((await first(ofType('suppression.removed'))).event.data).toEqual(added);
  });

  it('report a domain’s changes', { tags: ['events.payload-other-types'] }, async () => {
    const { first } = await endpoint({ events: ['domain.verified', 'domain.degraded'] });
    const domain = await domains.verified('told.example');
    const verified = await first(ofType('domain.verified'));
    expect(verified.event.data).toEqual((await server.call('GET', `/domains/${domain.id}`)).body);
    domains.dns.set(`${domain.dkimSelector}._domainkey.told.example`, 'TXT', []);
    await server.call('POST', `/domains/${domain.id}/verify`);
    expect((await first(ofType('domain.degraded'))).event.data).toMatchObject({ id: domain.id, status: 'degraded' });
  });

  it('report a key that expires soon', { tags: ['events.payload-other-types'] }, async () => {
    const { first } = await endpoint({ events: ['key.expiring'] });
    const expiresAt = new Date(server.clock.now().getTime() + 6 * DAY_MS).toISOString();
    const { id } = (await server.call('POST', '/keys', { body: { name: 'Short', scopes: ['sending'], expiresAt } }))
      .body;
    await announceExpiry({ sql: server.database.sql, clock: server.clock, ids: createIdGenerator() });
    const { event } = await first(({ event: { data } }) => data.id === id);
    expect(event.data).toEqual((await server.call('GET', `/keys/${id}`)).body);
    expect(JSON.stringify(event)).not.toContain('secret');
  });

  it('report 80 % and 100 % of the quota, once a month each', { tags: ['events.payload-other-types'] }, async () => {
    const { accountId, key } = await server.newAccount();
    await server.addDomain('quota.example', accountId);
    await server.database.sql`UPDATE accounts SET monthly_quota = 10 WHERE id = ${accountId}`;
    const { first, received, count } = await endpoint({ events: ['quota.threshold'] }, { key });
    const send = (to: string[]) => server.send({ from: 'a@quota.example', to }, { key });
    const recipients = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, n) => `p${from + n}@elsewhere.example`);
    await send(recipients(1, 7));
    await send(recipients(8, 8));
    const eighty = await first(ofType('quota.threshold'));
    expect(eighty.event.data).toEqual({ limit: 10, used: 8, threshold: 80 });
    expect((await send(recipients(9, 10))).status).toBe(202);
    await count(2);
    expect(received.map(({ event }) => event.data)).toEqual([
      { limit: 10, used: 8, threshold: 80 },
      { limit: 10, used: 10, threshold: 100 },
    ]);
  });

  it('stop at an endpoint that failed for five days, which the team and the other endpoints learn', {
    tags: ['events.disabling', 'events.payload-other-types'],
  }, async () => {
    const { accountId, key } = await server.newAccount('Failing Inc');
    const failing = await endpoint({ events: ['suppression.added'] }, { key, how: 500 });
    const watching = await endpoint({ events: ['webhook.disabled'] }, { key });
    const suppress = (n: number) =>
      server.call('POST', '/suppressions', {
        key,
        body: { emails: Array.from({ length: n }, (_, i) => `${n}-${i}@example.com`) },
      });
    await suppress(19);
    await failing.count(19);
    await expect
      .poll(async () => (await server.call('GET', `/webhooks/${failing.id}`, { key })).body.failingSince)
      .not.toBeNull();
    server.clock.advance(5 * DAY_MS + 60_000);
    const notice = await watching.first(ofType('webhook.disabled'));
    expect(notice.event.data).toMatchObject({ id: failing.id, status: 'disabled', disabledReason: 'failing' });
    expect(notice.event.data).toEqual((await server.call('GET', `/webhooks/${failing.id}`, { key })).body);
    const subject = `Webhook endpoint disabled: ${new URL(failing.url).host}`;
    await expect
      .poll(async () => (await readCaptured(server, subject)).map(({ to }) => to), { timeout: 10_000 })
      .toEqual([['other@sandbox.test']]);
    const [mail] = await readCaptured(server, subject);
    expect(mail?.parsed.text).toContain(`webhooks update ${failing.id} --status enabled`);
    const audit = await server.database
      .sql`SELECT action FROM audit_log WHERE account_id = ${accountId} AND target_id = ${failing.id} ORDER BY seq`;
    expect(audit.map(({ action }) => action)).toEqual(['webhook.created', 'webhook.disabled']);
  });

  it('report opens, clicks and unsubscribes, each with the whole payload', {
    tags: ['events.payload-fields', 'events.webhook-types'],
  }, async () => {
    const { key } = await server.newAccount('Tracked');
    await server.call('PATCH', '/account', { key, body: { trackOpens: true, trackClicks: true } });
    const { first, secret } = await endpoint(
      { events: ['email.opened', 'email.clicked', 'email.unsubscribed'] },
      { key },
    );
    const target = 'https://shop.example/a?b=1&c=2';
    const { body: sent } = await server.send(
      {
        ...{
          to: 'ann@example.com',
          subject: 'Told of opens',
          unsubscribe: true,
          tags: ['t'],
          metadata: { order: '9' },
        },
        html: `<body><a href="${target.replace('&', '&amp;')}">Shop</a></body>`,
        ...{ agent_name: 'bot', source: 'agent' },
      },
      { key },
    );
    await server.call('GET', `/emails/${sent.id}?wait=10`, { key });
    const [mail] = await readCaptured(server, 'Told of opens');
    const html = mail?.parsed.html ?? '';
    await fetch(/<img src="([^"]+\/t\/o\/[^"]+)"/.exec(html)?.[1] ?? '');
    await fetch(/<a href="([^"]+\/t\/c\/[^"]+)"/.exec(html)?.[1] ?? '', { redirect: 'manual' });
    const [, unsubscribe = ''] =
      /<(http[^>]+)>/.exec(/^List-Unsubscribe: ((?:.*\r\n[ \t])*.*)/im.exec(mail?.raw ?? '')?.[1] ?? '') ?? [];
    const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
    expect((await fetch(unsubscribe, { method: 'POST', body })).status).toBe(200);
    const notice = [];
    for (const type of ['email.opened', 'email.clicked', 'email.unsubscribed']) notice.push(await first(ofType(type)));
    const { body: message } = await server.call('GET', `/emails/${sent.id}`, { key });
    const logged = (type: string) => message.events.find((entry: { type: string }) => entry.type === type);
    for (const received of notice) {
      const { event } = received;
      const entry = logged(event.type.replace('email.', ''));
      expect(event).toEqual({
        ...{ id: entry.id, type: event.type, createdAt: entry.createdAt, apiVersion: 'v1' },
        data: {
          ...{ emailId: sent.id, seq: entry.seq, recipient: 'ann@example.com', from: 'Ada <ada@sandbox.test>' },
          ...{ to: 'ann@example.com', subject: 'Told of opens', tags: ['t'], metadata: { order: '9' } },
          ...{ channel: 'api', source: 'agent', agentName: 'bot', classification: null },
          ...{ detail: event.type === 'email.clicked' ? target : null, occurredAt: entry.createdAt },
        },
      });
      expect(WEBHOOK_EVENT_SCHEMAS.get(event.type)?.safeParse(event).error).toBeUndefined();
      expect(isSignedWith(received, secret)).toBe(true);
    }
  });

  it('report a domain that failed, with its record as it then is', {
    tags: ['events.payload-other-types'],
  }, async () => {
    const { key } = await server.newAccount('Losing');
    const { first } = await endpoint({ events: ['domain.failed'] }, { key });
    const { body: domain } = await server.call('POST', '/domains', { key, body: { name: 'never-told.example' } });
    server.clock.advance(72 * 3_600_000 + 60_000);
    await server.app.services.domains.checker.checkDue();
    const received = await first(ofType('domain.failed'));
    expect(received.event.data).toMatchObject({ id: domain.id, name: 'never-told.example', status: 'failed' });
    expect(received.event.data).toEqual((await server.call('GET', `/domains/${domain.id}`, { key })).body);
    expect(WEBHOOK_EVENT_SCHEMAS.get('domain.failed')?.safeParse(received.event).error).toBeUndefined();
  });

  it('are not stored unless an endpoint selects them', async () => {
    const { accountId, key } = await server.newAccount('Quiet');
    const { id } = (await server.send({}, { key })).body;
    await server.call('GET', `/emails/${id}?wait=10`, { key });
    const { sql } = server.database;
    const noted = await sql`SELECT 1 FROM event_backlog WHERE account_id = ${accountId}`;
    const stored = await sql`SELECT 1 FROM webhook_events WHERE account_id = ${accountId}`;
    expect([noted.length, stored.length]).toEqual([0, 0]);
  });
});

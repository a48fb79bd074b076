import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCaptured } from '../../harness/captured-mail.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

type Event = readonly [type: string, classification: string | null];

const queued: Event = ['queued', null];
const sent: Event = ['sent', null];
const delivered: Event = ['delivered', null];

describe('a test address', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  async function outcomeOf(to: string, key = server.key) {
    const { body } = await server.send({ to }, { key });
    const read = (await server.call('GET', `/emails/${body.id}?wait=10`, { key })).body;
    const events = read.events.map((event: { type: string; classification: string | null }) => [
      event.type,
      event.classification,
    ]);
    return { status: read.status, events, read };
  }

  async function expectOutcome(local: string, status: string, ...events: readonly Event[]) {
    for (const to of [
      `${local}@sandbox.test`,
      `${local}+any.Label-1@sandbox.test`,
      `${local.toUpperCase()}@Sandbox.Test`,
    ]) {
      const outcome = await outcomeOf(to);
      expect({ to, status: outcome.status, events: outcome.events }).toEqual({
        to,
        status,
        events: [queued, ...events],
      });
      expect(outcome.read.recipients).toMatchObject([{ status }]);
    }
  }

  it('`delivered` is sent, then delivered, with or without a label', {
    tags: ['contract-test-addresses.delivered', 'contract-test-addresses.label'],
  }, async () => {
    await expectOutcome('delivered', 'delivered', sent, delivered);
  });

  it('`deferred` is deferred once, then delivered, without a wait', {
    tags: ['contract-test-addresses.deferred'],
  }, async () => {
    const beganMs = performance.now();
    await expectOutcome('deferred', 'delivered', ['deferred', null], sent, delivered);
    expect(performance.now() - beganMs).toBeLessThan(5_000);
  });

  it('`bounced` bounces, hard', {
    tags: ['contract-test-addresses.bounced', 'events.hard', 'events.bounce-and-complaint'],
  }, async () => {
    await expectOutcome('bounced', 'bounced', ['bounced', 'hard']);
  });

  it('`soft` bounces, soft', { tags: ['contract-test-addresses.soft'] }, async () => {
    await expectOutcome('soft', 'bounced', ['bounced', 'soft']);
  });

  it('`blocked` bounces, block', { tags: ['contract-test-addresses.blocked', 'events.block'] }, async () => {
    await expectOutcome('blocked', 'bounced', ['bounced', 'block']);
  });

  it('`complained` is delivered, then complained, spam', {
    tags: [
      'contract-test-addresses.complained',
      'contract-messages.status-complained',
      'events.spam',
      'events.bounce-and-complaint',
    ],
  }, async () => {
    await expectOutcome('complained', 'complained', sent, delivered, ['complained', 'spam']);
  });

  it('leaves the event types of its outcome, with a classification on bounces and complaints alone', {
    tags: ['contract-messages.trail-types', 'events.classification-null'],
  }, async () => {
    const locals = ['delivered', 'deferred', 'bounced', 'soft', 'blocked', 'complained'];
    const { read } = await outcomeOf('delivered@sandbox.test');
    const eventLists = await Promise.all(
      locals.map(async (local) => (await outcomeOf(`${local}@sandbox.test`)).events),
    );
    const events = [...eventLists.flat(), ...read.events.map((event: { type: string }) => [event.type, null])];
    const types = new Set(events.map(([type]) => type));
    expect([...types].sort()).toEqual(['bounced', 'complained', 'deferred', 'delivered', 'queued', 'sent']);
    for (const [type, classification] of eventLists.flat()) {
      expect(classification !== null, type).toBe(type === 'bounced' || type === 'complained');
    }
  });

  it('of any other name accepts everything', async () => {
    await expectOutcome('owner', 'delivered', sent, delivered);
    await expectOutcome('delivered.not', 'delivered', sent, delivered);
    await expectOutcome('constructor', 'delivered', sent, delivered);
  });

  it('gives the reason in the detail of the event and in lastError', async () => {
    const { read } = await outcomeOf('bounced@sandbox.test');
    expect(read.events[1].detail).toContain('550 5.1.1');
    expect(read.lastError).toBe(`bounced@sandbox.test: ${read.events[1].detail}`);
    expect((await outcomeOf('delivered@sandbox.test')).read.lastError).toBeNull();
  });

  it('is available to every account, and so is the domain to send from', {
    tags: ['contract-test-addresses.every-account'],
  }, async () => {
    const { key } = await server.newAccount();
    expect((await outcomeOf('delivered@sandbox.test', key)).status).toBe('delivered');
    const { status } = await server.send({ from: 'anything@sandbox.test', to: 'outside@example.com' }, { key });
    expect(status).toBe(202);
  });

  it('is at the domain that the setting names', { tags: ['contract-settings.sandbox-domain'] }, async () => {
    const settings = { POSTRIDER_SANDBOX_DOMAIN: 'Try.Example' };
    const renamed = await startTestApp({ settings });
    await renamed.addDomain('try.example', '00000000-0000-0000-0000-000000000000');
    const bounced = await renamed.send({ from: 'a@try.example', to: 'bounced@try.example' });
    expect((await renamed.settled(bounced.body.id)).body.status).toBe('bounced');
    expect((await renamed.send({ from: 'a@sandbox.test' })).status).toBe(403);
    const outside = await renamed.send({ from: 'a@try.example', to: 'bounced@sandbox.test' });
    expect((await renamed.settled(outside.body.id)).body.status).toBe('delivered');
    await renamed.close();
  });

  it('runs the whole pipeline: the message is composed, signed and kept to be read', {
    tags: ['contract-test-addresses.whole-pipeline'],
  }, async () => {
    for (const channel of ['api', 'sdk', 'mcp']) {
      const { body } = await server.send({ channel, subject: `Through ${channel}`, html: '<p>Hi</p>' });
      expect((await server.settled(body.id)).body).toMatchObject({ status: 'delivered', channel });
      const [mail] = await readCaptured(server, `Through ${channel}`);
      expect(mail?.to).toEqual(['delivered@sandbox.test']);
      expect(mail?.raw).toMatch(/^DKIM-Signature: v=1/m);
      expect(mail?.parsed.messageId).toBe(`<${body.id}@sandbox.test>`);
    }
  });

  it('with others shows the worst status, and keeps the reason, whichever delivery ended last', {
    tags: ['contract-messages.worst-recipient'],
  }, async () => {
    const { body } = await server.send({ to: ['bounced@sandbox.test', 'ok@example.com', 'delivered@sandbox.test'] });
    const read = (await server.settled(body.id)).body;
    expect(read.status).toBe('bounced');
    expect(read.recipients.map((recipient: { status: string }) => recipient.status)).toEqual([
      'bounced',
      'delivered',
      'delivered',
    ]);
    expect(read.lastError).toContain('bounced@sandbox.test: 550 5.1.1');
    expect(read.events.map((event: { seq: number }) => event.seq)).toEqual([1, 2, 3, 4, 5, 6]);
  });
});

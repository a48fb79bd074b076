import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOutsideWorld, makeEngine } from '../harness/hand-made-engine.ts';
import { type DomainServer, startDomainServer } from '../operations/domains/domain-server.ts';

const HOUR_MS = 3_600_000;

describe('mail whose domain is no longer verified when it is due', () => {
  let domains: DomainServer;
  let engine: Awaited<ReturnType<typeof makeEngine>>;
  const world = createOutsideWorld(() => ({}));
  beforeAll(async () => {
    const settings = { POSTRIDER_TRANSPORT: 'direct', POSTRIDER_ROLES: 'api' };
    domains = await startDomainServer({ settings });
    engine = await makeEngine(domains.server, world);
  });
  afterAll(async () => {
    await engine.stop(1_000);
    await domains.close();
  });

  const call = (method: string, path: string, options = {}) => domains.server.call(method, path, options);
  const read = async (id: string) => (await call('GET', `/emails/${id}`)).body;
  const statusOf = async (id: string) => (await read(id)).status;

  /** Delivers what is due; resolves once it has ended. */
  async function deliver(id: string): Promise<string> {
    await engine.pump();
    await expect.poll(() => statusOf(id), { timeout: 20_000 }).toMatch(/delivered|failed/);
    return await statusOf(id);
  }

  const LOSSES: readonly [string, (domain: { id: string; name: string }) => Promise<unknown>][] = [
    [
      'another account took the name',
      async ({ name }) => {
        const { key } = await domains.server.newAccount();
        const refused = await call('POST', '/domains', { key, body: { name } });
        const [, host = '', value = ''] = /TXT record at (\S+) with the value (\S+) /.exec(refused.body.fix) ?? [];
        domains.dns.set(host, 'TXT', [value]);
        expect((await call('POST', '/domains', { key, body: { name } })).status).toBe(201);
      },
    ],
    ['it was removed', ({ id }) => call('DELETE', `/domains/${id}`)],
    [
      'its records were gone for 72 hours',
      async ({ id, name }) => {
        domains.dns.remove(`bounce.${name}`, 'TXT');
        await call('POST', `/domains/${id}/verify`);
        domains.server.clock.advance(73 * HOUR_MS);
        expect((await call('POST', `/domains/${id}/verify`)).body.status).toBe('failed');
      },
    ],
  ];

  it.each(LOSSES)('fails with its reason and is never sent, when %s', async (_, lose) => {
    const name = `lost${world.attempts.length}.example`;
    const { id: domainId } = await domains.verified(name);
    const from = `ceo@${name}`;
    const first = await domains.server.send({ from, to: `first@good.example` });
    expect(await deliver(first.body.id)).toBe('delivered');
    const later = await domains.server.send({ from, to: `later@good.example`, scheduled_at: 'PT100H' });
    expect(later.status).toBe(202);
    await lose({ id: domainId, name });
    domains.server.clock.advance(101 * HOUR_MS);
    const before = world.attempts.length;
    expect(await deliver(later.body.id)).toBe('failed');
    const message = await read(later.body.id);
    const reason = `The domain ${name} was no longer verified in this account when the message was due, so the message was not sent.`;
    expect(message.lastError ?? message.last_error).toBe(reason);
    const [failed] = await domains.server.database.sql<{ type: string; detail: string }[]>`
      SELECT type, detail FROM message_events WHERE message_id = ${later.body.id} ORDER BY seq DESC LIMIT 1`;
    expect(failed).toEqual({ type: 'failed', detail: reason });
    expect(world.attempts.length).toBe(before);
  });

  it('is still sent from a degraded domain', async () => {
    const { id } = await domains.verified('weak.example');
    domains.dns.remove('bounce.weak.example', 'TXT');
    expect((await call('POST', `/domains/${id}/verify`)).body.status).toBe('degraded');
    const sent = await domains.server.send({ from: 'ceo@weak.example', to: 'x@good.example' });
    expect(await deliver(sent.body.id)).toBe('delivered');
  });

  it('is not signed a second after the name was lost, even right after another signature', async () => {
    const { id } = await domains.verified('cached.example');
    const from = 'ceo@cached.example';
    const first = await domains.server.send({ from, to: 'x@good.example' });
    const second = await domains.server.send({ from, to: 'y@good.example', scheduled_at: 'PT60S' });
    domains.server.clock.advance(58_900);
    expect(await deliver(first.body.id)).toBe('delivered');
    await call('DELETE', `/domains/${id}`);
    domains.server.clock.advance(1_100);
    expect(await deliver(second.body.id)).toBe('failed');
  });
});

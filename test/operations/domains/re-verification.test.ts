import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../../harness/expect-problem.ts';
import { type DomainServer, domainAudit, startDomainServer } from './domain-server.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

describe('scheduled re-verification of domains', () => {
  let domains: DomainServer;
  beforeAll(async () => {
    domains = await startDomainServer({ settings: { POSTRIDER_ROLES: 'api' } });
  });
  afterAll(() => domains.close());

  const add = async (name: string, key: string) =>
    (await domains.server.call('POST', '/domains', { key, body: { name } })).body;
  const read = async (id: string, key: string) => (await domains.server.call('GET', `/domains/${id}`, { key })).body;
  const after = async (ms: number) => {
    domains.server.clock.advance(ms);
    await domains.server.app.services.domains.checker.checkDue();
  };
  const send = (from: string, key: string) => domains.server.send({ from }, { key });

  it('verifies a pending domain once its records are there, without a request', {
    tags: ['domains.pending-checks'],
  }, async () => {
    const { key, accountId } = await domains.server.newAccount();
    const domain = await add('soon.example', key);
    await after(4 * MINUTE_MS);
    expect(await read(domain.id, key)).toMatchObject({ status: 'pending', lastCheckedAt: null });
    await after(2 * MINUTE_MS);
    expect(await read(domain.id, key)).toMatchObject({ status: 'pending', lastCheckedAt: expect.any(String) });
    domains.publish(domain.records);
    await after(6 * MINUTE_MS);
    expect((await read(domain.id, key)).status).toBe('verified');
    expect(await domainAudit(domains.server, accountId)).toEqual(['domain.created', 'domain.verified']);
  });

  it('fails a domain after 72 h without its records; verifying starts again', {
    tags: ['domains.pending-checks'],
  }, async () => {
    const { key, accountId } = await domains.server.newAccount();
    const domain = await add('never.example', key);
    for (let hour = 0; hour < 71; hour += 1) await after(HOUR_MS);
    expect((await read(domain.id, key)).status).toBe('pending');
    await after(HOUR_MS);
    await after(MINUTE_MS);
    expect(await read(domain.id, key)).toMatchObject({
      ...{ status: 'failed', statusReason: 'Required and not found within 72 hours: DKIM, SPF, MX.' },
    });
    const asked = domains.dns.questions.length;
    await after(24 * HOUR_MS);
    expect(domains.dns.questions.slice(asked).some(({ name }) => name.endsWith('never.example'))).toBe(false);
    expect((await domains.server.call('POST', `/domains/${domain.id}/verify`, { key })).body).toMatchObject({
      ...{ status: 'pending', statusReason: null },
    });
    domains.publish(domain.records);
    await after(6 * MINUTE_MS);
    expect((await read(domain.id, key)).status).toBe('verified');
    expect(await domainAudit(domains.server, accountId)).toEqual([
      'domain.created',
      'domain.failed',
      'domain.pending',
      'domain.verified',
    ]);
  });

  it('degrades a domain that lost a record: it still sends for 72 h, and recovers or fails', {
    tags: ['domains.degraded', 'domains.statuses'],
  }, async () => {
    const { key, accountId } = await domains.server.newAccount();
    const domain = await domains.verified('loses.example', key);
    const spf = domain.records.find(({ purpose }) => purpose === 'spf');
    if (spf === undefined) throw new Error('there is no SPF record');
    domains.dns.remove(spf.host, 'TXT');
    await after(23 * HOUR_MS);
    expect((await read(domain.id, key)).status).toBe('verified');
    await after(HOUR_MS + MINUTE_MS);
    const degraded = await read(domain.id, key);
    expect(degraded).toMatchObject({
      ...{
        status: 'degraded',
        statusReason: expect.stringMatching(/^Required and missing: SPF\. Mail is still sent until \d{4}-/),
      },
    });
    expect((await send('a@loses.example', key)).status).toBe(202);
    await after(HOUR_MS + MINUTE_MS);
    // The end of the time limit stays what it was.
    expect((await read(domain.id, key)).statusReason).toBe(degraded.statusReason);
    domains.publish([spf]);
    await after(HOUR_MS + MINUTE_MS);
    expect(await read(domain.id, key)).toMatchObject({ status: 'verified', statusReason: null });
    domains.dns.remove(spf.host, 'TXT');
    await after(24 * HOUR_MS + MINUTE_MS);
    domains.dns.fail(spf.host, 'TXT', 'SERVFAIL');
    await after(80 * HOUR_MS);
    expect(await read(domain.id, key)).toMatchObject({
      ...{ status: 'degraded', statusReason: expect.stringMatching(/^Required and missing: SPF/) },
    });
    expect((await send('a@loses.example', key)).status).toBe(202);
    domains.dns.remove(spf.host, 'TXT');
    await after(HOUR_MS + MINUTE_MS);
    expect(await read(domain.id, key)).toMatchObject({
      ...{ status: 'failed', statusReason: 'Required and missing for 72 hours: SPF.' },
    });
    expectProblem(await send('a@loses.example', key), 403, 'domain_not_verified');
    expect(await domainAudit(domains.server, accountId)).toEqual([
      'domain.created',
      'domain.verified',
      'domain.degraded',
      'domain.verified',
      'domain.degraded',
      'domain.failed',
    ]);
  });

  it('checks each domain once, however many processes run it, and again when one died in the middle', async () => {
    const { key } = await domains.server.newAccount();
    const added = [];
    for (const name of ['p1.example', 'p2.example', 'p3.example']) added.push(await add(name, key));
    domains.server.clock.advance(6 * MINUTE_MS);
    const { checker } = domains.server.app.services.domains;
    const asked = domains.dns.questions.length;
    await Promise.all([checker.checkDue(), checker.checkDue()]);
    const times = (name: string) =>
      domains.dns.questions.slice(asked).filter((question) => question.name === `_dmarc.${name}`).length;
    expect(['p1.example', 'p2.example', 'p3.example'].map(times)).toEqual([1, 1, 1]);
    // What a process takes and never brings back is due again after its lease.
    const [first] = added;
    const now = domains.server.clock.now();
    await domains.server.database
      .sql`UPDATE sending_domains SET next_check_at = ${new Date(now.getTime() + 5 * MINUTE_MS)} WHERE id = ${first?.id}`;
    const { lastCheckedAt } = await read(first?.id, key);
    await after(5 * MINUTE_MS + 1_000);
    expect((await read(first?.id, key)).lastCheckedAt).not.toBe(lastCheckedAt);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../../harness/expect-problem.ts';
import { type DomainServer, HELO, startDomainServer } from './domain-server.ts';

describe('a send from a domain that is not verified', () => {
  let domains: DomainServer;
  beforeAll(async () => {
    domains = await startDomainServer({ settings: { POSTRIDER_ROLES: 'api' } });
  });
  afterAll(() => domains.close());

  it('is rejected with the records to publish, each with type, host and value', {
    tags: ['contract-sending.records-to-publish'],
  }, async () => {
    const { body: domain } = await domains.server.call('POST', '/domains', { body: { name: 'open.example' } });
    const refused = await domains.server.send({ from: 'a@open.example' });
    expectProblem(refused, 403, 'domain_not_verified');
    const [dkim] = domain.records;
    expect(refused.body.fix).toContain(`TXT ${dkim.host} ${dkim.value}`);
    expect(refused.body.fix).toContain(`TXT bounce.open.example v=spf1 a:${HELO} ~all`);
    expect(refused.body.fix).toContain(`MX bounce.open.example 10 ${HELO}`);
    expect(refused.body.fix).not.toContain('_dmarc');
    const batch = await domains.server.call('POST', '/emails/batch', {
      body: {
        emails: ['a@open.example', 'a@sandbox.test'].map((from) => ({
          ...{ from, to: 'delivered@sandbox.test', subject: 's', text: 't' },
        })),
      },
    });
    expect(batch.body.results[0].error).toMatchObject({ code: 'domain_not_verified', fix: refused.body.fix });
    expect(batch.body.results[1].ok).toBe(true);
    const dry = await domains.server.send({ from: 'a@open.example', dry_run: true });
    expect(dry.body.checks.find(({ ok }: { ok: boolean }) => !ok)).toMatchObject({
      code: 'domain_not_verified',
      fix: refused.body.fix,
    });
  });

  it('names what is left to publish, and the call that verifies, with the id in it', async () => {
    const { body: domain } = await domains.server.call('POST', '/domains', { body: { name: 'partly.example' } });
    const verify = `POST /domains/${domain.id}/verify`;
    const fix = async () => (await domains.server.send({ from: 'a@partly.example' })).body.fix;
    expect(await fix()).toContain(verify);
    const [dkim, spf, mx] = domain.records;
    domains.publish([dkim, mx]);
    await domains.server.call('POST', `/domains/${domain.id}/verify`);
    expect(await fix()).toBe(
      `Publish these DNS records of partly.example, then verify it with \`${verify}\`: TXT ${spf.host} ${spf.value}`,
    );
  });

  it('names the restore call for a removed domain, also when an older one of the name was removed too', async () => {
    const { body: older } = await domains.server.call('POST', '/domains', { body: { name: 'removed.example' } });
    await domains.server.call('DELETE', `/domains/${older.id}`);
    domains.server.clock.advance(1_000);
    const domain = await domains.verified('removed.example');
    domains.server.clock.advance(1_000);
    await domains.server.call('DELETE', `/domains/${domain.id}`);
    const refused = await domains.server.send({ from: 'a@removed.example' });
    expectProblem(refused, 403, 'domain_not_verified');
    expect(refused.body.detail).toBe('removed.example was removed from this account.');
    expect(refused.body.fix).toContain(`POST /domains/${domain.id}/restore`);
  });

  it('names the call to add the domain when the account does not have it, even if another account does', async () => {
    await domains.verified('elsewhere.example');
    const { key } = await domains.server.newAccount();
    const refused = await domains.server.send({ from: 'a@elsewhere.example' }, { key });
    expectProblem(refused, 403, 'domain_not_verified');
    expect(refused.body.fix).toContain('POST /domains');
    expect(refused.body.fix).not.toContain('_domainkey');
  });
});

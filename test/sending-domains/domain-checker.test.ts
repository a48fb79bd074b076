import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DnsResolver } from '../../packages/server/src/dns/dns-resolver.ts';
import { checkDomain } from '../../packages/server/src/sending-domains/check-domain.ts';
import { createDomainChecker } from '../../packages/server/src/sending-domains/domain-checker.ts';
import { rotateKeys } from '../../packages/server/src/sending-domains/rotate-keys.ts';
import { type DomainServer, startDomainServer } from '../operations/domains/domain-server.ts';

describe('checking domains', () => {
  let domains: DomainServer;
  beforeAll(async () => {
    domains = await startDomainServer({ settings: { POSTRIDER_ROLES: 'api' } });
  });
  afterAll(() => domains.close());

  const tools = () => domains.server.app.services.domains.tools;
  const read = async (id: string) => (await domains.server.call('GET', `/domains/${id}`)).body;
  const referenceTo = (id: string) => ({ accountId: domains.server.accountId, id });
  const options = (dns: DnsResolver) => ({ dns, actor: 'system', restarts: false });

  /** The server's own way to the DNS, with something done before each TXT question is asked. */
  function before(first: (name: string) => Promise<void> | void): DnsResolver {
    const { dns } = tools();
    return {
      ...dns,
      async txt(name) {
        await first(name);
        return await dns.txt(name);
      },
    };
  }

  it('does not delay due domains because of those whose servers do not respond', async () => {
    const names = [
      ...Array.from({ length: 9 }, (_, n) => `slow${n}.example`),
      'q1.example',
      'q2.example',
      'q3.example',
    ];
    const now = domains.server.clock.now();
    await domains.server.database.sql`
      INSERT INTO sending_domains (account_id, id, name, status, return_path_host, created_at, status_since, next_check_at)
      SELECT ${domains.server.accountId}, gen_random_uuid(), name, 'pending', 'bounce.' || name, ${now}, ${now}, ${now}::timestamptz + at * interval '1 ms'
      FROM unnest(${names}::text[]) WITH ORDINALITY AS given (name, at)`;
    domains.server.clock.advance(1_000);
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const asked = new Set<string>();
    let onAll = () => {};
    const all = new Promise<void>((resolve) => (onAll = resolve));
    const dns = before(async (name) => {
      if (name.includes('slow')) return await released;
      asked.add(name);
      if (['q1', 'q2', 'q3'].every((label) => asked.has(`_dmarc.${label}.example`))) onAll();
    });
    const checker = createDomainChecker({ ...tools(), dns }, (error) => {
      throw error;
    });
    const round = checker.checkDue();
    await all;
    release();
    await round;
    const { body } = await domains.server.call('GET', '/domains');
    const looked = body.domains.filter(({ lastCheckedAt }: { lastCheckedAt: string | null }) => lastCheckedAt !== null);
    expect(looked).toHaveLength(names.length);
  });

  it('limits the time for a domain, whatever its servers do, and takes nothing from it', async () => {
    const { id } = await domains.verified('bounded.example');
    const dns = before(() => new Promise(() => {}));
    const checked = await checkDomain(tools(), referenceTo(id), options(dns), { questions: 100, timeMs: 50 });
    expect(checked?.domain.status).toBe('verified');
    expect(checked?.domain.checks['spf']).toMatchObject({
      ...{ status: 'pending', reason: expect.stringMatching(/time limit for this check is reached/) },
    });
  });

  it('signs with no key without a found record, when a rotation has changed the key of a selector meanwhile', async () => {
    const { id } = await domains.verified('raced.example');
    const rotate = (dkimSelector: string) =>
      rotateKeys(tools(), referenceTo(id), { dkimSelector, ed25519: null, actor: 'system' });
    await rotate('fresh');
    domains.publish((await read(id)).records);
    let isDone = false;
    const dns = before(async (name) => {
      if (isDone || !name.startsWith('fresh.')) return;
      isDone = true;
      // The response is about the first key of this selector; by the time it comes there is another one.
      await rotate('between');
      // Selectors are never used twice; that no key signs by the record of another must not hang on it.
      await domains.server.database.sql`DELETE FROM dkim_selectors WHERE selector = 'fresh'`;
      await rotate('fresh');
    });
    const checked = await checkDomain(tools(), referenceTo(id), options(dns));
    expect(isDone).toBe(true);
    const fresh = checked?.domain.keys.find(({ selector }) => selector === 'fresh');
    expect([checked?.domain.status, fresh?.state]).toEqual(['verified', 'waiting']);
    domains.publish((await read(id)).records);
    const again = await checkDomain(tools(), referenceTo(id), options(tools().dns.fresh()));
    expect(again?.domain.keys.find(({ selector }) => selector === 'fresh')?.state).toBe('signing');
  });
});

import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDnsResolver } from '../../../packages/server/src/dns/create-dns-resolver.ts';
import { readCaptured } from '../../harness/captured-mail.ts';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { type DomainServer, domainAudit, type PublishedRecord, startDomainServer } from './domain-server.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

describe('rotating the keys of a domain', () => {
  let domains: DomainServer;
  beforeAll(async () => {
    domains = await startDomainServer();
  });
  afterAll(() => domains.close());

  const call = (method: string, path: string, options = {}) => domains.server.call(method, path, options);
  const rotate = (id: string, body: unknown = {}) => call('POST', `/domains/${id}/rotate`, { body });
  const verify = (id: string) => call('POST', `/domains/${id}/verify`);
  const dkimOf = (body: { records: PublishedRecord[] }) => body.records.filter(({ purpose }) => purpose === 'dkim');

  let subjects = 0;
  /** Sends a message, and has an independent verifier look its signatures up in the DNS. */
  async function signatures(from: string): Promise<string[]> {
    subjects += 1;
    const subject = `Signed ${subjects}`;
    // What a server knows of keys it knows for a minute.
    domains.server.clock.advance(61_000);
    const sent = await domains.server.send({ from, to: 'x@example.com', subject });
    expect((await domains.server.settled(sent.body.id)).body.status).toBe('delivered');
    const [mail] = await readCaptured(domains.server, subject);
    const dns = createDnsResolver({ servers: [domains.dns.address] });
    const resolver = async (name: string) => {
      const response = await dns.txt(name);
      if (response.kind !== 'found') throw Object.assign(new Error(response.kind), { code: 'ENOTFOUND' });
      return response.values.map((text) => [text]);
    };
    const { results } = await dkimVerify(mail?.raw ?? '', { resolver, strict: true });
    return results.map(({ selector, status }) => `${selector} ${status?.result}`);
  }

  it('signs with the old key until the record of the new one is found, then with the new one', async () => {
    const domain = await domains.verified('turn.example');
    const old = domain.dkimSelector;
    expect(await signatures('a@turn.example')).toEqual([`${old} pass`]);
    const begun = await rotate(domain.id, { dkimSelector: 'next1' });
    expect(begun.status).toBe(200);
    expect(begun.body).toMatchObject({ status: 'verified', dkimSelector: old });
    expect(dkimOf(begun.body)).toMatchObject([
      { host: `${old}._domainkey.turn.example`, required: true, status: 'pass' },
      { host: 'next1._domainkey.turn.example', required: false, status: 'pending' },
    ]);
    expect((await verify(domain.id)).body).toMatchObject({ status: 'verified', dkimSelector: old });
    expect(await signatures('a@turn.example')).toEqual([`${old} pass`]);
    expect((await rotate(domain.id)).body.records.map(({ value }: PublishedRecord) => value)).toEqual(
      begun.body.records.map(({ value }: PublishedRecord) => value),
    );
    domains.publish(dkimOf(begun.body));
    const switched = (await verify(domain.id)).body;
    expect(switched).toMatchObject({ status: 'verified', dkimSelector: 'next1' });
    expect(dkimOf(switched)).toMatchObject([
      { host: 'next1._domainkey.turn.example', required: true, status: 'pass', reason: null },
      { host: `${old}._domainkey.turn.example`, required: false, reason: expect.stringContaining('no longer signs') },
    ]);
    expect(await signatures('a@turn.example')).toEqual(['next1 pass']);
    const [retired] = await domains.server.database.sql`
      SELECT private_key FROM dkim_keys WHERE domain_id = ${domain.id} AND selector = ${old}`;
    expect(retired).toEqual({ private_key: null });
    domains.dns.remove(`${old}._domainkey.turn.example`);
    expect((await verify(domain.id)).body.status).toBe('verified');
    domains.server.clock.advance(7 * DAY_MS);
    expect(dkimOf((await call('GET', `/domains/${domain.id}`)).body)).toHaveLength(1);
    expect((await domainAudit(domains.server)).slice(-2)).toEqual(['domain.rotation_started', 'domain.rotated']);
  });

  it('never uses a previous selector of the domain, and generates one when none is named', async () => {
    const domain = await domains.verified('never-twice.example');
    expectProblem(await rotate(domain.id, { dkimSelector: domain.dkimSelector }), 409, 'already_exists');
    const begun = (await call('POST', `/domains/${domain.id}/rotate`)).body;
    const [, waiting] = dkimOf(begun);
    expect(waiting?.host).toMatch(/^pr[0-9a-f]{10}\._domainkey\.never-twice\.example$/);
    domains.publish(begun.records);
    await verify(domain.id);
    expectProblem(await rotate(domain.id, { dkimSelector: domain.dkimSelector }), 409, 'already_exists');
    expectInvalid(await rotate(domain.id, { dkimSelector: 'a_b' }), 'dkimSelector');
    expectInvalid(await rotate(domain.id, { ed25519: 1 }), 'ed25519');
    expectInvalid(await rotate(domain.id, { selector: 'x' }), ['selector', 'unknown_field']);
  });

  it('never uses a previous selector of the name: not of a pending key, nor of a removed domain', async () => {
    const add = (given: object) => call('POST', '/domains', { body: { name: 'ever.example', ...given } });
    const { body: domain } = await add({ dkimSelector: 'k1', ed25519: true });
    expect((await rotate(domain.id, { dkimSelector: 'k2' })).status).toBe(200);
    expect((await rotate(domain.id, { dkimSelector: 'k3' })).status).toBe(200);
    const again = await rotate(domain.id, { dkimSelector: 'k2' });
    expectProblem(again, 409, 'already_exists');
    expect(again.body.errors).toEqual([{ path: 'dkimSelector', code: 'taken', message: 'k2 is taken' }]);
    const renewed = async () => {
      await rotate(domain.id, { ed25519: false });
      return dkimOf((await rotate(domain.id, { ed25519: true })).body).at(-1)?.host;
    };
    expect(await renewed()).toBe('k3-ed25519._domainkey.ever.example');
    // It was there and is gone, so that one is made up.
    expect(await renewed()).toMatch(/^pr[0-9a-f]{10}-ed25519\._domainkey\.ever\.example$/);
    await call('DELETE', `/domains/${domain.id}`);
    for (const dkimSelector of ['k1', 'k2', 'k1-ed25519']) {
      const refused = await add({ dkimSelector });
      expectProblem(refused, 409, 'already_exists');
      expect(refused.body.errors).toEqual([
        { path: 'dkimSelector', code: 'taken', message: `${dkimSelector} is taken` },
      ]);
    }
    expect((await add({ dkimSelector: 'k4' })).status).toBe(201);
    const elsewhere = await call('POST', '/domains', { body: { name: 'else.ever.example', dkimSelector: 'k1' } });
    expect(elsewhere.status).toBe(201);
  });

  it('signs with both keys once the record of the second one is there, and both verify', async () => {
    const { body: domain } = await call('POST', '/domains', {
      body: { name: 'both.example', dkimSelector: 'b1', ed25519: true },
    });
    const second = dkimOf(domain)[1];
    domains.publish(domain.records.filter((record: PublishedRecord) => record !== second));
    expect((await verify(domain.id)).body.status).toBe('verified');
    expect(await signatures('a@both.example')).toEqual(['b1 pass']);
    domains.publish(domain.records);
    await verify(domain.id);
    expect((await signatures('a@both.example')).sort()).toEqual(['b1 pass', 'b1-ed25519 pass']);
    domains.dns.remove('b1-ed25519._domainkey.both.example');
    expect((await verify(domain.id)).body.status).toBe('verified');
    expect(await signatures('a@both.example')).toEqual(['b1 pass']);
    domains.publish(domain.records);
    await verify(domain.id);
    const renewed = (await rotate(domain.id, { dkimSelector: 'b2' })).body;
    expect(dkimOf(renewed).map(({ host }) => host.split('.')[0])).toEqual(['b1', 'b1-ed25519', 'b2', 'b2-ed25519']);
    domains.publish(renewed.records);
    await verify(domain.id);
    expect((await signatures('a@both.example')).sort()).toEqual(['b2 pass', 'b2-ed25519 pass']);
    await rotate(domain.id, { ed25519: false });
    expect(await signatures('a@both.example')).toEqual(['b2 pass']);
  });

  it('adds a second key to a domain that has one', async () => {
    const domain = await domains.verified('later.example');
    const begun = (await rotate(domain.id, { ed25519: true })).body;
    domains.publish(begun.records);
    const { body } = await verify(domain.id);
    expect((await signatures('a@later.example')).sort()).toEqual(
      [`${body.dkimSelector} pass`, `${body.dkimSelector}-ed25519 pass`].sort(),
    );
  });
});

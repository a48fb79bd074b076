import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { type DomainServer, domainAudit, HELO, startDomainServer } from './domain-server.ts';

describe('the lifecycle of a sending domain', () => {
  let domains: DomainServer;
  beforeAll(async () => {
    domains = await startDomainServer();
  });
  afterAll(() => domains.close());

  const call = (method: string, path: string, options = {}) => domains.server.call(method, path, options);
  const add = async (name: string, given = {}) => (await call('POST', '/domains', { body: { name, ...given } })).body;
  const statuses = (records: { purpose: string; status: string }[]) =>
    records.map(({ purpose, status }) => `${purpose} ${status}`);

  it('is verified by live DNS, and then sends', {
    tags: ['domains.verify', 'domains.answers', 'states.domain-verify', 'service.own-domains'],
  }, async () => {
    const domain = await add('life.example');
    const refused = await domains.server.send({ from: 'a@life.example', to: 'x@example.com' });
    expectProblem(refused, 403, 'domain_not_verified');
    const early = await call('POST', `/domains/${domain.id}/verify`);
    expect(early.status).toBe(200);
    expect(early.body).toMatchObject({ id: domain.id, status: 'pending', verifiedAt: null });
    expect(statuses(early.body.records)).toEqual(['dkim fail', 'spf fail', 'mx fail', 'dmarc fail']);
    for (const record of early.body.records) expect(record.reason).toMatch(/\S/);
    domains.publish(domain.records);
    const { status, body } = await call('POST', `/domains/${domain.id}/verify`);
    expect(status).toBe(200);
    const { lastCheckedAt: at } = body;
    expect(Math.abs(Date.parse(at) - domains.server.clock.now().getTime())).toBeLessThan(10_000);
    expect(body).toMatchObject({ status: 'verified', verifiedAt: at });
    expect(statuses(body.records)).toEqual(['dkim pass', 'spf pass', 'mx pass', 'dmarc pass']);
    for (const { reason, found, checkedAt, type, value, priority } of body.records) {
      expect({ reason, found, checkedAt }).toEqual({
        ...{ reason: null, found: [type === 'MX' ? `${priority} ${value}` : value], checkedAt: at },
      });
    }
    const sent = await domains.server.send({ from: 'a@life.example', to: 'x@example.com' });
    expect(sent.status).toBe(202);
    expect((await domains.server.settled(sent.body.id)).body.status).toBe('delivered');
    expectProblem(await domains.server.send({ from: 'a@sub.life.example' }), 403, 'domain_not_verified');
    expect((await call('GET', '/keys/self')).body.sendingDomains).toContain('life.example');
  });

  it('needs DKIM, SPF and MX, and no DMARC', { tags: ['domains.required-records'] }, async () => {
    const domain = await add('needs.example');
    const required = domain.records.filter(({ required }: { required: boolean }) => required);
    expect(required.map(({ purpose }: { purpose: string }) => purpose)).toEqual(['dkim', 'spf', 'mx']);
    for (let published = 0; published < required.length; published += 1) {
      const response = await call('POST', `/domains/${domain.id}/verify`);
      expect(response.body.status).toBe('pending');
      domains.publish([required[published]]);
    }
    expect((await call('POST', `/domains/${domain.id}/verify`)).body.status).toBe('verified');
  });

  it('rejects sends when removed, stays in the history with its DKIM records, and is restored with its keys', {
    tags: [
      'domains.delete',
      'domains.history',
      'domains.restore',
      'domains.history-and-restore',
      'states.domain-delete',
      'states.domain-restore',
      'domains.statuses',
    ],
  }, async () => {
    const domain = await domains.verified('back.example');
    const removed = await call('DELETE', `/domains/${domain.id}`);
    expect(removed.status).toBe(200);
    expect(removed.body).toMatchObject({ id: domain.id, name: 'back.example', status: 'removed', verifiedAt: null });
    expectProblem(await domains.server.send({ from: 'a@back.example' }), 403, 'domain_not_verified');
    expect((await call('GET', '/domains?limit=100')).body.domains.map(({ id }: { id: string }) => id)).not.toContain(
      domain.id,
    );
    const { body: history } = await call('GET', '/domains/history');
    const kept = history.domains.find(({ id }: { id: string }) => id === domain.id);
    expect(kept).toMatchObject({ status: 'removed', verifiedAt: null });
    expect(kept.records[0]).toMatchObject({ purpose: 'dkim', value: domain.records[0]?.value });
    for (const [method, path] of [
      ['POST', 'verify'],
      ['POST', 'rotate'],
      ['DELETE', ''],
    ] as const) {
      expectProblem(await call(method, `/domains/${domain.id}${path && `/${path}`}`), 404, 'not_found');
    }
    const restored = await call('POST', `/domains/${domain.id}/restore`);
    expect(restored.status).toBe(200);
    expect(restored.body).toMatchObject({
      id: domain.id,
      status: 'pending',
      verifiedAt: null,
      dkimSelector: domain.dkimSelector,
    });
    expect(restored.body.records.map(({ value }: { value: string }) => value)).toEqual(
      domain.records.map(({ value }) => value),
    );
    const read = async () => (await call('GET', `/domains/${domain.id}`)).body.status;
    await expect.poll(read, { timeout: 10_000, interval: 20 }).toBe('verified');
    expect((await domains.server.send({ from: 'a@back.example' })).status).toBe(202);
    const again = await call('POST', `/domains/${domain.id}/restore`);
    expect([again.status, again.body.status]).toEqual([200, 'verified']);
    expect((await domainAudit(domains.server)).slice(-5)).toEqual([
      'domain.created',
      'domain.verified',
      'domain.removed',
      'domain.restored',
      'domain.verified',
    ]);
  });

  it('has new keys when a removed name is added again, and then the removed one cannot be restored', async () => {
    const first = await add('again.example');
    await call('DELETE', `/domains/${first.id}`);
    const second = await add('again.example');
    expect(second.id).not.toBe(first.id);
    expect(second.records[0].value).not.toBe(first.records[0].value);
    expect(second.dkimSelector).not.toBe(first.dkimSelector);
    expectProblem(await call('POST', `/domains/${first.id}/restore`), 409, 'already_exists');
  });

  it('has its records as JSON and as a zone file', { tags: ['domains.records', 'domains.answers'] }, async () => {
    const domain = await add('zone.example', { ed25519: true });
    const { status, body } = await call('GET', `/domains/${domain.id}/records`);
    expect([status, body]).toEqual([200, { records: domain.records }]);
    const zone = await call('GET', `/domains/${domain.id}/records`, { headers: { accept: 'text/plain' } });
    expect(zone.status).toBe(200);
    expect(zone.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const lines = zone.body.split('\n').filter((line: string) => line !== '' && !line.startsWith(';'));
    // No one has looked yet whether a DMARC policy is there.
    expect(lines).toHaveLength(domain.records.length - 1);
    const [dkim, spf, mx] = domain.records;
    const value = dkim.value;
    expect(lines[0]).toBe(`${dkim.host}. 3600 IN TXT "${value.slice(0, 255)}" "${value.slice(255)}"`);
    expect(lines[1]).toBe(`${spf.host}. 3600 IN TXT "v=spf1 a:${HELO} ~all"`);
    expect(lines[2]).toBe(`${mx.host}. 3600 IN MX 10 ${HELO}.`);
    for (const accept of [
      '*/*',
      'application/json',
      'application/json, text/plain',
      'text/plain;q=0.5, application/json',
    ]) {
      const json = await call('GET', `/domains/${domain.id}/records`, { headers: { accept } });
      expect(json.headers.get('content-type'), accept).toBe('application/json; charset=utf-8');
    }
  });

  it('does not suggest weakening an existing DMARC policy', async () => {
    const domain = await add('strict.example');
    domains.dns.set('_dmarc.strict.example', 'TXT', ['v=DMARC1; p=reject; rua=mailto:d@strict.example']);
    await call('POST', `/domains/${domain.id}/verify`);
    const zone = await call('GET', `/domains/${domain.id}/records`, { headers: { accept: 'text/plain' } });
    expect(zone.body).toMatch(/^; published already: _dmarc\.strict\.example\. IN TXT "v=DMARC1; p=reject; rua/m);
    expect(zone.body).not.toContain('p=none');
  });

  it('suggests a DMARC policy in a zone file only when the DNS said that there is none', async () => {
    const domain = await add('mail.advised.example');
    const [own, above] = ['_dmarc.mail.advised.example', '_dmarc.advised.example'];
    const zone = async () => {
      await call('POST', `/domains/${domain.id}/verify`);
      const { body } = await call('GET', `/domains/${domain.id}/records`, { headers: { accept: 'text/plain' } });
      return (body as string).split('\n').filter((line) => /dmarc/i.test(line) && !line.startsWith('; DNS records'));
    };
    const live = `${own}. 3600 IN TXT "v=DMARC1; p=none"`;
    expect(await zone()).toEqual([live]);
    domains.dns.set(own, 'TXT', ['v=DMARC1; p=reject', 'v=DMARC1; p=none']);
    expect(await zone()).toEqual([
      expect.stringMatching(/^; DMARC: There are 2 DMARC records/),
      `; published already: ${own}. IN TXT "v=DMARC1; p=reject"`,
      `; published already: ${own}. IN TXT "v=DMARC1; p=none"`,
    ]);
    domains.dns.set(own, 'TXT', ['v=DMARC1; p=sometimes']);
    expect((await zone()).filter((line) => !line.startsWith('; '))).toEqual([]);
    domains.dns.fail(own, 'TXT', 'SERVFAIL');
    expect(await zone()).toEqual([
      expect.stringMatching(/^; DMARC: The DNS lookup of/),
      `; only if there is none yet: ${live}`,
    ]);
    domains.dns.remove(own);
    domains.dns.set(above, 'TXT', ['v=DMARC1; p=quarantine']);
    expect(await zone()).toEqual([
      expect.stringMatching(/^; DMARC: The policy of advised\.example applies/),
      '; published already: "v=DMARC1; p=quarantine"',
    ]);
  });

  it('is found in the list by its status and by its name', { tags: ['domains.list'] }, async () => {
    const { key } = await domains.server.newAccount();
    await domains.verified('f1.example', key);
    for (const name of ['f2.example', 'grün.example']) await call('POST', '/domains', { key, body: { name } });
    const list = async (query: string) => {
      const { body } = await call('GET', `/domains?${query}`, { key });
      return [body.total, ...body.domains.map(({ name }: { name: string }) => name)];
    };
    expect(await list('status=verified')).toEqual([1, 'f1.example']);
    expect(await list('status=pending')).toEqual([2, 'xn--grn-ioa.example', 'f2.example']);
    expect(await list('status=failed')).toEqual([0]);
    expect(await list('name=F2.Example.')).toEqual([1, 'f2.example']);
    expect(await list(`name=${encodeURIComponent('grün.example')}`)).toEqual([1, 'xn--grn-ioa.example']);
    expect(await list('name=f2.example&status=verified')).toEqual([0]);
    expect(await list('name=example.com')).toEqual([0]);
    for (const status of ['removed', 'nonsense', '']) {
      expectInvalid(await call('GET', `/domains?status=${status}`, { key }), 'status');
    }
    expectInvalid(await call('GET', '/domains?name=nodots', { key }), 'name');
    const { nextCursor } = (await call('GET', '/domains?limit=1&status=pending', { key })).body;
    const further = await call('GET', `/domains?limit=1&status=pending&cursor=${nextCursor}`, { key });
    expect(further.body.domains[0].name).toBe('f2.example');
    expectProblem(await call('GET', `/domains?limit=1&cursor=${nextCursor}`, { key }), 422, 'invalid_cursor');
  });

  it('is listed newest first, in pages with a total', { tags: ['domains.list', 'domains.list-shape'] }, async () => {
    const { key } = await domains.server.newAccount();
    for (const name of ['l1.example', 'l2.example', 'l3.example'])
      await call('POST', '/domains', { key, body: { name } });
    const first = await call('GET', '/domains?limit=2', { key });
    expect(first.status).toBe(200);
    expect(first.body).toEqual({
      domains: expect.any(Array),
      total: 3,
      totalIsEstimate: false,
      nextCursor: expect.any(String),
    });
    const names = (body: { domains: { name: string }[] }) => body.domains.map(({ name }) => name);
    expect(names(first.body)).toEqual(['l3.example', 'l2.example']);
    const second = await call('GET', `/domains?limit=2&cursor=${first.body.nextCursor}`, { key });
    expect([names(second.body), second.body.total, second.body.nextCursor]).toEqual([['l1.example'], 3, null]);
    expectProblem(
      await call('GET', `/domains/history?cursor=${first.body.nextCursor}`, { key }),
      422,
      'invalid_cursor',
    );
    expectProblem(await call('GET', `/domains?cursor=${first.body.nextCursor}`), 422, 'invalid_cursor');
    expectInvalid(await call('GET', '/domains?limit=0', { key }), 'limit');
    expectInvalid(await call('GET', '/domains?limit=101', { key }), 'limit');
    expectInvalid(await call('GET', '/domains?title=x', { key }), ['title', 'unknown_field']);
    expect((await call('GET', '/domains/history', { key })).body).toEqual({
      ...{ domains: [], total: 0, totalIsEstimate: false, nextCursor: null },
    });
  });

  it('is hidden from other accounts', async () => {
    const domain = await add('mine.example');
    const { key } = await domains.server.newAccount();
    const paths: [string, string][] = [
      ['GET', '/domains/:id'],
      ['GET', '/domains/:id/records'],
      ['POST', '/domains/:id/verify'],
      ['POST', '/domains/:id/rotate'],
      ['POST', '/domains/:id/restore'],
      ['DELETE', '/domains/:id'],
    ];
    for (const id of [domain.id, randomUUID(), 'abc']) {
      for (const [method, path] of paths) {
        expectProblem(await call(method, path.replace(':id', id), { key }), 404, 'not_found');
      }
    }
    expect((await call('GET', `/domains/${domain.id}`)).body.status).toBe('pending');
    expectProblem(await call('GET', '/domains/nothing'), 404, 'not_found');
  });

  it('is read with domains:read and changed with domains:write', async () => {
    const domain = await add('scopes.example');
    const reader = await domains.server.newKey({ scopes: ['domains:read'] });
    const writer = await domains.server.newKey({ scopes: ['domains:write'] });
    const reads = ['/domains', '/domains/history', `/domains/${domain.id}`, `/domains/${domain.id}/records`];
    for (const path of reads) {
      expect((await call('GET', path, { key: reader })).status).toBe(200);
      expectProblem(await call('GET', path, { key: writer }), 403, 'missing_scope');
    }
    for (const [method, path] of [
      ['POST', '/verify'],
      ['POST', '/rotate'],
      ['DELETE', ''],
      ['POST', '/restore'],
    ] as const) {
      expectProblem(await call(method, `/domains/${domain.id}${path}`, { key: reader }), 403, 'missing_scope');
      expect((await call(method, `/domains/${domain.id}${path}`, { key: writer })).status).toBe(200);
    }
  });
});

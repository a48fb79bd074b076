import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { type DomainServer, domainAudit, HELO, startDomainServer } from './domain-server.ts';

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('adding a sending domain', () => {
  let domains: DomainServer;
  beforeAll(async () => {
    domains = await startDomainServer({ settings: { POSTRIDER_ROLES: 'api' } });
  });
  afterAll(() => domains.close());

  const add = (body: unknown, key?: string) =>
    domains.server.call('POST', '/domains', { body, ...(key === undefined ? {} : { key }) });

  it('returns 201 with the domain and the records to publish', {
    tags: [
      'domains.create',
      'domains.bodies',
      'domains.domain-fields',
      'domains.record-fields',
      'domains.required-records',
      'records.domain',
      'service.domains',
    ],
  }, async () => {
    const { status, body } = await add({ name: 'shop.example' });
    expect(status).toBe(201);
    const { dkimSelector: selector } = body;
    expect(body).toEqual({
      id: expect.stringMatching(ID),
      name: 'shop.example',
      status: 'pending',
      statusReason: null,
      dkimSelector: expect.stringMatching(/^[a-z0-9]+$/),
      records: expect.any(Array),
      createdAt: expect.stringMatching(TIME),
      verifiedAt: null,
      lastCheckedAt: null,
    });
    const unseen = {
      ttl: 3_600,
      status: 'pending',
      reason: 'It has not been looked up yet.',
      found: [],
      checkedAt: null,
    };
    const bounce = { name: 'bounce', host: 'bounce.shop.example' };
    expect(body.records).toEqual([
      {
        ...{
          purpose: 'dkim',
          type: 'TXT',
          name: `${selector}._domainkey`,
          host: `${selector}._domainkey.shop.example`,
        },
        ...{ value: expect.stringMatching(/^v=DKIM1; k=rsa; p=[A-Za-z0-9+/]{392}$/), priority: null, required: true },
        ...unseen,
      },
      {
        purpose: 'spf',
        type: 'TXT',
        ...bounce,
        value: `v=spf1 a:${HELO} ~all`,
        priority: null,
        required: true,
        ...unseen,
      },
      { purpose: 'mx', type: 'MX', ...bounce, value: HELO, priority: 10, required: true, ...unseen },
      {
        ...{ purpose: 'dmarc', type: 'TXT', name: '_dmarc', host: '_dmarc.shop.example', value: 'v=DMARC1; p=none' },
        ...{ priority: null, required: false, ...unseen },
      },
    ]);
    expect(await domainAudit(domains.server)).toContain('domain.created');
  });

  it('shows no private key, and stores no readable one', { tags: ['domains.keys-encrypted'] }, async () => {
    const { body } = await add({ name: 'secret.example', ed25519: true });
    expect(JSON.stringify(body)).not.toMatch(/PRIVATE|privateKey/);
    const keys = await domains.server.database.sql<{ sealed: Buffer }[]>`
      SELECT private_key AS sealed FROM dkim_keys WHERE domain_id = ${body.id}`;
    expect(keys).toHaveLength(2);
    for (const { sealed } of keys) {
      expect(sealed[0]).toBe(1);
      expect(sealed.toString('latin1')).not.toMatch(/PRIVATE KEY/);
    }
  });

  it('accepts a selector and a return path, as a label or as a full name below the domain', async () => {
    const label = await add({ name: 'a.example', dkimSelector: 'Mail-1', returnPath: 'Returns' });
    expect(label.body.dkimSelector).toBe('mail-1');
    expect(label.body.records.map(({ host }: { host: string }) => host)).toEqual([
      'mail-1._domainkey.a.example',
      'returns.a.example',
      'returns.a.example',
      '_dmarc.a.example',
    ]);
    const full = await add({ name: 'b.example', returnPath: 'b.returns.b.example' });
    expect(full.body.records[1]).toMatchObject({ name: 'b.returns', host: 'b.returns.b.example' });
  });

  it('blames the selector for a record name that is too long only if it was set and a shorter one would fit', async () => {
    const name = `${'a'.repeat(60)}.`.repeat(3).concat('a'.repeat(39), '.example');
    expectInvalid(await add({ name }), ['name', 'too_long']);
    expectInvalid(await add({ name, dkimSelector: 'selector1234' }), ['dkimSelector', 'too_long']);
    expect((await add({ name, dkimSelector: 's' })).status).toBe(201);
    const longest = `${'b'.repeat(60)}.`.repeat(4).concat('example.x');
    expect(longest).toHaveLength(253);
    expectInvalid(await add({ name: longest, dkimSelector: 's' }), ['name', 'too_long']);
  });

  it('accepts a return path with a trailing dot', async () => {
    const { body } = await add({ name: 'root.example', returnPath: 'returns.root.example.' });
    expect(body.records[1].host).toBe('returns.root.example');
  });

  it('gives the second key its own record, which is not required', async () => {
    const { body } = await add({ name: 'two-keys.example', dkimSelector: 's1', ed25519: true });
    const second = body.records.filter(({ purpose }: { purpose: string }) => purpose === 'dkim')[1];
    expect(second).toMatchObject({
      host: 's1-ed25519._domainkey.two-keys.example',
      required: false,
      status: 'pending',
    });
    const key = Buffer.from(second.value.replace('v=DKIM1; k=ed25519; p=', ''), 'base64');
    expect(key).toHaveLength(32);
    expect(body.dkimSelector).toBe('s1');
  });

  it.each([
    ['MAIL.Upper.EXAMPLE', 'mail.upper.example'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['xn--bcher-kva.xn--bcher-kva.example', 'xn--bcher-kva.xn--bcher-kva.example'],
    ['shop.co.uk', 'shop.co.uk'],
    ['deep.sub.shop.co.uk', 'deep.sub.shop.co.uk'],
    ['acme.test', 'acme.test'],
    ['me.github.io', 'me.github.io'],
    ['dotted.example.', 'dotted.example'],
    ['  blanks.example\n', 'blanks.example'],
  ])('stores %s as %s', async (name, kept) => {
    expect((await add({ name })).body.name).toBe(kept);
  });

  it.each([
    ['localhost', 'invalid_domain'],
    ['com', 'invalid_domain'],
    ['co.uk', 'public_suffix'],
    ['github.io', 'public_suffix'],
    ['192.0.2.1', 'invalid_domain'],
    ['[192.0.2.1]', 'invalid_domain'],
    ['2001:db8::1', 'invalid_domain'],
    ['https://shop.example', 'invalid_domain'],
    ['a@shop.example', 'invalid_domain'],
    ['-shop.example', 'invalid_domain'],
    ['shop..example', 'invalid_domain'],
    ['_dmarc.shop.example', 'invalid_domain'],
    ['*.shop.example', 'invalid_domain'],
    ['sh op.example', 'invalid_domain'],
    ['xn--a.example', 'invalid_domain'],
    ['', 'invalid_domain'],
    [`${'a'.repeat(64)}.example`, 'invalid_domain'],
    [`${'a.'.repeat(125)}example`, 'invalid_domain'],
    ['sandbox.test', 'reserved'],
    ['SANDBOX.test', 'reserved'],
    ['x.sandbox.test', 'reserved'],
    ['foo.localhost', 'reserved'],
    ['foo.local', 'reserved'],
    ['abc.onion', 'reserved'],
    ['a.invalid', 'reserved'],
    ['1.0.0.127.in-addr.arpa', 'reserved'],
    ['shop.example..', 'invalid_domain'],
    ['.', 'invalid_domain'],
    [`${`${'a'.repeat(60)}.`.repeat(4)}example`.slice(-253), 'too_long'],
    [7, 'invalid_type'],
    [null, 'invalid_type'],
    [undefined, 'required'],
  ])('rejects the name %j', async (name, code) => {
    expectInvalid(await add({ name }), ['name', code]);
  });

  it.each([
    ['_dmarc.shop.example', '`_`'],
    ['sh op.example', 'a space'],
    ['shop\u2028x.example', 'U+2028'],
    ['a@shop.example', 'after the `@`'],
    ['*.shop.example', '`*`'],
    ['https://shop.example/', 'without `https://`'],
    ['-shop.example', 'hyphen'],
    ['shop..example', 'empty label'],
    ['localhost', 'two labels'],
    ['bücher_laden.example', '`_`'],
  ])('says what is wrong with the name %j', async (name, reason) => {
    const response = await add({ name });
    expectInvalid(response, ['name', 'invalid_domain']);
    expect(response.body.errors[0].message).toContain(reason);
  });

  it.each([
    [{ dkimSelector: '' }, 'dkimSelector'],
    [{ dkimSelector: 'a_b' }, 'dkimSelector'],
    [{ dkimSelector: '-a' }, 'dkimSelector'],
    [{ dkimSelector: 'a..b' }, 'dkimSelector'],
    [{ dkimSelector: 'a'.repeat(64) }, 'dkimSelector'],
    [{ dkimSelector: 'a'.repeat(60), ed25519: true }, 'dkimSelector'],
    [{ returnPath: '' }, 'returnPath'],
    [{ returnPath: 'bounce.other.example' }, 'returnPath'],
    [{ returnPath: 'rules.example' }, 'returnPath'],
    [{ returnPath: 'a_b' }, 'returnPath'],
    [{ ed25519: 'yes' }, 'ed25519'],
    [{ id: 'x' }, 'id'],
    [{ status: 'verified' }, 'status'],
    [{ accountId: 'x' }, 'accountId'],
  ])('rejects %j, naming the field', async (given, path) => {
    expectInvalid(await add({ name: 'rules.example', ...given }), path);
  });

  it('rejects a name that the account has with 409, and lets another account have it too', {
    tags: ['contract-errors.409-domains'],
  }, async () => {
    await add({ name: 'twice.example' });
    const again = await add({ name: 'TWICE.example' });
    expectProblem(again, 409, 'already_exists');
    expect(again.body.errors).toEqual([{ path: 'name', code: 'taken', message: 'twice.example is taken' }]);
    const other = await domains.server.newAccount();
    expect((await add({ name: 'twice.example' }, other.key)).status).toBe(201);
  });

  it('adds a name once, in parallel requests too', async () => {
    const responses = await Promise.all(Array.from({ length: 4 }, () => add({ name: 'race.example' })));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
  });

  it('allows 50 domains per account, not counting removed ones', async () => {
    const { key, accountId } = await domains.server.newAccount();
    const first = await add({ name: 'first.limit.example' }, key);
    await domains.server.database.sql`
      INSERT INTO sending_domains (account_id, id, name, status, return_path_host, created_at, status_since)
      SELECT ${accountId}, gen_random_uuid(), n || '.limit.example', 'pending', 'bounce.' || n || '.limit.example', now(), now()
      FROM generate_series(1, 49) AS n`;
    expectInvalid(await add({ name: 'more.limit.example' }, key), ['name', 'too_many']);
    expect((await domains.server.call('GET', '/account', { key })).body.domains).toEqual({ used: 50, limit: 50 });
    await domains.server.call('DELETE', `/domains/${first.body.id}`, { key });
    expect((await add({ name: 'more.limit.example' }, key)).status).toBe(201);
    const restored = await domains.server.call('POST', `/domains/${first.body.id}/restore`, { key });
    expectInvalid(restored, ['id', 'too_many']);
    expect(restored.body.fix).toBe('Remove a domain with `DELETE /domains/:id`, then restore the domain.');
  });

  it('needs the scope domains:write', async () => {
    const reader = await domains.server.newKey({ scopes: ['domains:read'] });
    expectProblem(await add({ name: 'scope.example' }, reader), 403, 'missing_scope');
    const writer = await domains.server.newKey({ scopes: ['domains:write'] });
    expect((await add({ name: 'scope.example' }, writer)).status).toBe(201);
  });
});

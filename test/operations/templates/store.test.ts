import type { AuditEntry } from '@postrider/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { signInAs } from '../../harness/session.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

const FIELDS = [
  ...['id', 'slug', 'name', 'subject', 'html', 'text', 'version', 'status', 'currentVersion', 'contentHash'],
  ...['versions', 'variables', 'createdAt', 'updatedAt'],
];
const UNKNOWN = '01890000-0000-7000-8000-000000000000';

describe('templates', () => {
  let server: TestApp;
  let serial = 0;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  const post = (body: object, key = server.key) => server.call('POST', '/templates', { body, key });
  const patch = (id: string, body: object, key = server.key) => server.call('PATCH', `/templates/${id}`, { body, key });
  const get = (id: string, key = server.key) => server.call('GET', `/templates/${id}`, { key });
  const fresh = async (body: object = {}) => {
    serial += 1;
    const response = await post({
      name: `Fresh ${serial}`,
      subject: 'Hi {{ name }}',
      html: '<p>{{ name }}</p>',
      ...body,
    });
    expect(response.status).toBe(201);
    return response.body;
  };

  describe('POST /templates', () => {
    it('returns 201 with the record, version 1, its variables and nothing else', {
      tags: [
        'templates.record-fields',
        'templates.manage',
        'templates.bodies',
        'records.template',
        'versioning.templates',
      ],
    }, async () => {
      const { status, body } = await post({
        slug: 'welcome',
        name: 'Welcome',
        subject: 'Hello {{ user.name }}',
        html: '<p>{{ user.name }}{% if vip %}!{% endif %}</p>{% for item in items %}{{ item.price }}{% endfor %}',
        text: 'Hello {{ greeting | default: user.name }}',
        note: 'the first',
      });
      expect(status).toBe(201);
      expect(Object.keys(body).sort()).toEqual([...FIELDS].sort());
      const { keyId } =
        (
          await server.database
            .sql`SELECT id AS "keyId" FROM api_keys WHERE account_id = ${server.accountId} AND NOT is_seat`
        )[0] ?? {};
      expect(body).toMatchObject({
        slug: 'welcome',
        name: 'Welcome',
        subject: 'Hello {{ user.name }}',
        text: 'Hello {{ greeting | default: user.name }}',
        version: 1,
        currentVersion: 1,
        status: 'published',
        contentHash: null,
        versions: [
          {
            ...{ version: 1, status: 'published', createdAt: body.createdAt, createdBy: keyId, note: 'the first' },
            ...{ publishedAt: body.createdAt, publishedBy: keyId },
            authors: { subject: keyId, html: keyId, text: keyId },
          },
        ],
        variables: [
          { name: 'user.name', required: true },
          { name: 'vip', required: false },
          { name: 'items', required: true },
          { name: 'items[].price', required: true },
          { name: 'greeting', required: false },
        ],
        updatedAt: body.createdAt,
      });
      expect((await get('welcome')).body).toEqual(body);
      expect((await get(body.id)).body).toEqual(body);
    });

    it.each([
      ['Order Confirmation – Été 2026!', 'order-confirmation-ete-2026'],
      ['  a__b  ', 'a-b'],
    ])('creates the slug from the name %j', async (name, slug) => {
      expect((await post({ name, text: 'x' })).body.slug).toBe(slug);
    });

    it('creates a slug from the id when the name has no usable character', async () => {
      const { body } = await post({ name: '歓迎', text: 'x' });
      expect(body.slug).toBe(`template-${body.id.slice(-12)}`);
    });

    it('rejects a slug that is taken in the account, sent or derived from the name, and keeps the first', async () => {
      const first = await fresh({ slug: 'taken' });
      expectProblem(await post({ slug: 'Taken', name: 'Other', text: 'x' }), 409, 'already_exists');
      expectProblem(await post({ name: 'taken', text: 'x' }), 409, 'already_exists');
      expect((await get('taken')).body).toEqual(first);
      const other = await server.newAccount();
      expect((await post({ slug: 'taken', name: 'Theirs', text: 'x' }, other.key)).status).toBe(201);
    });

    it('creates one of many that request a slug at the same time', async () => {
      const responses = await Promise.all(Array.from({ length: 8 }, () => post({ name: 'Race', text: 'x' })));
      expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
    });

    it.each([
      [{ name: '', text: 'x' }, 'name'],
      [{ name: 'a\nb', text: 'x' }, 'name'],
      [{ text: 'x' }, 'name'],
      [{ name: 'x' }, 'html'],
      [{ name: 'x', text: '' }, 'html'],
      [{ name: 'x', html: null, text: null }, 'html'],
      [{ name: 'x', text: 'x', slug: 'a b' }, 'slug'],
      [{ name: 'x', text: 'x', slug: 'a@3' }, 'slug'],
      [{ name: 'x', text: 'x', slug: UNKNOWN }, 'slug'],
      [{ name: 'x', text: 'x', slug: 'x'.repeat(101) }, 'slug'],
      [{ name: 'x', text: 'x', subject: 'a\r\nBcc: b@c.d' }, 'subject'],
      [{ name: 'x', text: 'x', subject: 'x'.repeat(999) }, 'subject'],
      [{ name: 'x', text: 'x', note: 'x'.repeat(501) }, 'note'],
      [{ name: 'x', text: 'x', id: UNKNOWN }, 'id'],
      [{ name: 'x', text: 'x', version: 2 }, 'version'],
      [{ name: 'x', html: 1 }, 'html'],
    ])('rejects %j and names the field', async (body, field) => {
      expectInvalid(await post(body), field);
    });

    it.each([
      [{ html: 'one\n{% if x %}' }, 'html', 'line 2'],
      [{ html: 'a\nb\n{{ x | nofilter }}' }, 'html', 'line 3'],
      [{ text: '{{ x' }, 'text', 'line 1'],
      [{ text: 'x', subject: '{% endif %}' }, 'subject', 'line 1'],
      [{ html: "{% include 'other' %}" }, 'html', 'line 1'],
      [{ html: "{% render 'other' %}" }, 'html', 'line 1'],
      [{ html: "{% layout '/etc/passwd' %}" }, 'html', 'line 1'],
    ])(
      'rejects broken Liquid %j with its path and line, and stores nothing',
      { tags: ['templates.broken-liquid'] },
      async (content, path, line) => {
        const response = await post({ name: 'Broken', ...content });
        expectInvalid(response, [path, 'invalid_liquid']);
        expect(response.body.errors[0].message).toContain(line);
        expectProblem(await get('broken'), 404, 'not_found');
      },
    );

    it('names the errors of every part together', async () => {
      const response = await post({ name: 'x', subject: '{{', html: '{% if %}', text: '{% for %}' });
      expect(response.body.errors.map(({ path }: { path: string }) => path)).toEqual(['subject', 'html', 'text']);
    });
  });

  describe('GET /templates/:id', () => {
    it('returns a requested version, with the complete history', async () => {
      const { slug } = await fresh();
      await patch(slug, { subject: 'Two {{ other }}' });
      const { body } = await server.call('GET', `/templates/${slug}?version=1`);
      expect(body).toMatchObject({ version: 1, currentVersion: 2, subject: 'Hi {{ name }}' });
      expect(body.variables).toEqual([{ name: 'name', required: true }]);
      expect(body.versions.map(({ version }: { version: number }) => version)).toEqual([1, 2]);
      expectProblem(await server.call('GET', `/templates/${slug}?version=3`), 404, 'not_found');
      expectInvalid(await server.call('GET', `/templates/${slug}?version=0`), 'version');
      expectInvalid(await server.call('GET', `/templates/${slug}?versions=1`), 'versions');
    });

    it.each(['nope', UNKNOWN, 'a%20b', '%00', 'x'.repeat(80)])('is 404 for %s', async (id) => {
      const response = await get(id);
      expect([404, 422]).toContain(response.status);
      if (!id.includes('%00')) expectProblem(response, 404, 'not_found');
    });
  });

  describe('PATCH /templates/:id', () => {
    it('creates a version for every change of content, and keeps the other parts and the old versions', {
      tags: ['templates.versions'],
    }, async () => {
      const first = await fresh({ text: 'T' });
      const { status, body } = await patch(first.slug, { html: '<b>{{ total }}</b>', note: 'bold' });
      expect(status).toBe(200);
      expect(body).toMatchObject({
        version: 2,
        currentVersion: 2,
        subject: first.subject,
        html: '<b>{{ total }}</b>',
        text: 'T',
      });
      expect(body.variables).toEqual([
        { name: 'name', required: true },
        { name: 'total', required: true },
      ]);
      expect(body.versions[1]).toMatchObject({ version: 2, note: 'bold' });
      const old = (await server.call('GET', `/templates/${first.id}?version=1`)).body;
      expect({ ...old, currentVersion: 1, versions: first.versions, updatedAt: first.updatedAt }).toEqual(first);
      expect((await patch(first.id, { html: '<b>{{ total }}</b>' })).body.currentVersion).toBe(3);
    });

    it('removes a part with null, and never the last body', async () => {
      const { slug } = await fresh({ text: 'T' });
      expect((await patch(slug, { text: null, subject: null })).body).toMatchObject({ text: null, subject: null });
      expectInvalid(await patch(slug, { html: null }), 'html');
      expectInvalid(await patch(slug, { html: null, text: '' }), 'html');
      expect((await get(slug)).body.currentVersion).toBe(2);
    });

    it('rolls back with a new version that equals the old one', { tags: ['templates.versions'] }, async () => {
      const first = await fresh();
      await patch(first.id, { html: '<i>{{ x }}</i>', subject: 'Other' });
      const { body } = await patch(first.id, { rollbackTo: 1, note: 'as before' });
      expect(body).toMatchObject({ version: 3, currentVersion: 3, subject: first.subject, html: first.html });
      expect(body.variables).toEqual(first.variables);
      expect(body.versions[2].note).toBe('as before');
      expectInvalid(await patch(first.id, { rollbackTo: 9 }), ['rollbackTo', 'not_found']);
      expectInvalid(await patch(first.id, { rollbackTo: 0 }), 'rollbackTo');
      expectInvalid(await patch(first.id, { rollbackTo: 1, html: 'x' }), ['rollbackTo', 'conflict']);
    });

    it('changes name and slug without a version', async () => {
      const { id } = await fresh({ slug: 'before' });
      server.clock.advance(1_000);
      const { body } = await patch('before', { name: 'After', slug: 'after' });
      expect(body).toMatchObject({ id, name: 'After', slug: 'after', currentVersion: 1 });
      expect(body.updatedAt > body.createdAt).toBe(true);
      expectProblem(await get('before'), 404, 'not_found');
      const { slug } = await fresh();
      expectProblem(await patch('after', { slug }), 409, 'already_exists');
      expect((await patch('after', { slug: 'after' })).status).toBe(200);
    });

    it('changes nothing by an empty object, as of other records, and makes no draft for a held key', async () => {
      const { slug } = await fresh();
      const before = (await get(slug)).body;
      const held = await server.call('POST', '/keys', {
        body: { name: 'h', scopes: ['full'], approvalMode: 'always' },
      });
      for (const key of [server.key, held.body.key]) {
        const { status, body } = await patch(slug, {}, key);
        expect([status, body]).toEqual([200, before]);
      }
      expectProblem(await patch('nope', {}), 404, 'not_found');
    });

    it('rejects misplaced notes, unknown fields and broken Liquid', async () => {
      const { slug } = await fresh();
      expectInvalid(await patch(slug, { note: 'x' }), ['note', 'conflict']);
      expectInvalid(await patch(slug, { currentVersion: 1 }), 'currentVersion');
      expectInvalid(await patch(slug, { html: '{{' }), ['html', 'invalid_liquid']);
      expectProblem(await patch('nope', { name: 'x' }), 404, 'not_found');
      expect((await get(slug)).body.currentVersion).toBe(1);
    });

    it('changes nothing if another version than `baseVersion` is current, and says which', {
      tags: ['templates.versions'],
    }, async () => {
      const { id, slug, name } = await fresh();
      expect((await patch(slug, { html: '<i>2</i>', baseVersion: 1 })).body.currentVersion).toBe(2);
      for (const late of [{ html: '<i>late</i>' }, { rollbackTo: 1 }, { name: 'Late' }]) {
        const refused = await patch(id, { ...late, baseVersion: 1 });
        expectProblem(refused, 409, 'approval_changed');
        expect(refused.body.detail).toContain('`baseVersion` must be 2');
        expect(refused.body.fix).toContain('`baseVersion`');
      }
      expect((await get(id)).body).toMatchObject({ currentVersion: 2, html: '<i>2</i>', name });
      expectProblem(await patch(id, { html: 'x', baseVersion: 9 }), 409, 'approval_changed');
      expectInvalid(await patch(id, { baseVersion: 2 }), 'body');
      expectInvalid(await patch(id, { html: 'x', baseVersion: 0 }), 'baseVersion');
    });

    it('stores one of many parallel changes of the same version', { tags: ['templates.versions'] }, async () => {
      const { id } = await fresh();
      const changes = Array.from({ length: 8 }, (_, n) => patch(id, { html: `<p>${n}</p>`, baseVersion: 1 }));
      const statuses = (await Promise.all(changes)).map(({ status }) => status);
      expect(statuses.sort()).toEqual([200, ...Array.from({ length: 7 }, () => 409)]);
      expect((await get(id)).body.versions).toHaveLength(2);
    });

    it('gives each of many parallel changes its own version, built on the one before', async () => {
      const { id } = await fresh({ subject: 'S', html: 'H', text: 'T' });
      const changes = Array.from({ length: 12 }, (_, index) => {
        const part = ['subject', 'html', 'text'][index % 3] ?? '';
        return { part, value: `${part} ${index}` };
      });
      const responses = await Promise.all(changes.map(({ part, value }) => patch(id, { [part]: value })));
      const made = responses.map(({ body }) => body).sort((a, b) => a.version - b.version);
      expect(made.map(({ version }) => version)).toEqual(Array.from({ length: 12 }, (_, index) => index + 2));
      let before = { subject: 'S', html: 'H', text: 'T' };
      for (const { subject, html, text } of made) {
        const changed = Object.entries({ subject, html, text }).filter(([part, value]) =>
          Object.entries(before).some(([name, old]) => name === part && old !== value),
        );
        expect(changed).toHaveLength(1);
        before = { subject, html, text };
      }
      expect((await get(id)).body.versions).toHaveLength(13);
    });
  });

  describe('DELETE /templates/:id', () => {
    it('returns the last state of the template, frees its slug, and is 404 the second time', {
      tags: ['templates.manage'],
    }, async () => {
      const { id, slug } = await fresh();
      const last = (await patch(id, { text: 'T' })).body;
      const gone = await server.call('DELETE', `/templates/${slug}`);
      expect([gone.status, gone.body]).toEqual([200, last]);
      expectProblem(await server.call('DELETE', `/templates/${id}`), 404, 'not_found');
      expectProblem(await get(id), 404, 'not_found');
      expect((await post({ slug, name: 'Again', text: 'x' })).body.currentVersion).toBe(1);
    });
  });

  describe('GET /templates', () => {
    it('lists newest first in pages that are bound to the account', { tags: ['templates.list-shape'] }, async () => {
      const { key } = await server.newAccount();
      for (const name of ['a', 'b', 'c']) await post({ name, text: 'x' }, key);
      const first = await server.call('GET', '/templates?limit=2', { key });
      expect(Object.keys(first.body).sort()).toEqual(['nextCursor', 'templates', 'total', 'totalIsEstimate']);
      expect(first.body).toMatchObject({ total: 3, totalIsEstimate: false });
      expect(Object.keys(first.body.templates[0]).sort()).toEqual([...FIELDS].sort());
      const second = await server.call('GET', `/templates?limit=2&cursor=${first.body.nextCursor}`, { key });
      const slugs = [...first.body.templates, ...second.body.templates].map(({ slug }: { slug: string }) => slug);
      expect([slugs, second.body.nextCursor]).toEqual([['c', 'b', 'a'], null]);
      expectProblem(await server.call('GET', `/templates?cursor=${first.body.nextCursor}`), 422, 'invalid_cursor');
      for (const limit of ['0', '101', 'x'])
        expectInvalid(await server.call('GET', `/templates?limit=${limit}`), 'limit');
    });

    it('ends a page of large templates early and continues after it', async () => {
      const { key } = await server.newAccount();
      const html = '<p>x</p>\n'.repeat(130_000);
      for (let index = 0; index < 8; index += 1) {
        expect((await post({ name: `big ${index}`, html }, key)).status).toBe(201);
      }
      const seen: string[] = [];
      let pages = 0;
      for (let cursor: string | null = ''; cursor !== null; pages += 1) {
        const { body } = await server.call('GET', `/templates${cursor === '' ? '' : `?cursor=${cursor}`}`, { key });
        seen.push(...body.templates.map(({ name }: { name: string }) => name));
        expect(body.total).toBe(8);
        cursor = body.nextCursor;
      }
      expect(seen).toEqual([7, 6, 5, 4, 3, 2, 1, 0].map((index) => `big ${index}`));
      expect(pages).toBe(2);
    });
  });

  it('have every change in the audit log, with who made it', async () => {
    const { id } = await fresh({ slug: 'audited', name: 'Audited' });
    const owner = await signInAs(server, 'owner@sandbox.test');
    await owner.call('PATCH', `/templates/${id}`, { body: { text: 'Two' } });
    await owner.call('PATCH', `/templates/${id}`, { body: { rollbackTo: 1 } });
    await patch(id, { name: 'Renamed', slug: 'renamed' });
    // These change nothing.
    await patch(id, { name: 'Renamed' });
    await patch(id, { rollbackTo: 99 });
    await server.call('DELETE', `/templates/${id}`);
    await server.call('DELETE', `/templates/${id}`);
    const { entries } = (await server.call('GET', `/audit?target_id=${id}`)).body;
    const self = (await server.call('GET', '/keys/self')).body.id;
    const { memberId } = owner.user;
    const named = { slug: 'audited', name: 'Audited' };
    const renamed = { slug: 'renamed', name: 'Renamed' };
    expect(entries.map(({ action, actor, details }: AuditEntry) => [action, actor, details])).toEqual([
      ['template.deleted', self, renamed],
      ['template.updated', self, { ...renamed, formerSlug: 'audited', formerName: 'Audited' }],
      ['template.updated', memberId, { ...named, version: 3, rollbackTo: 1 }],
      ['template.updated', memberId, { ...named, version: 2 }],
      ['template.created', self, { ...named, version: 1 }],
    ]);
  });

  it('are separate for each account on every path, as if the others’ did not exist', async () => {
    const mine = await fresh();
    const { key } = await server.newAccount();
    const calls: [string, string, object?][] = [
      ['GET', ''],
      ['GET', '?version=1'],
      ['PATCH', '', { name: 'Stolen' }],
      ['PATCH', '', { html: 'Stolen' }],
      ['PATCH', '', { rollbackTo: 1 }],
      ['DELETE', ''],
      ['POST', '/render', { variables: {} }],
      ['POST', '/test', {}],
    ];
    for (const name of [mine.id, mine.slug]) {
      for (const [method, path, body] of calls) {
        const options = { key, ...(body === undefined ? {} : { body }) };
        expectProblem(await server.call(method, `/templates/${name}${path}`, options), 404, 'not_found');
      }
    }
    expect((await server.call('GET', '/templates', { key })).body.templates).toEqual([]);
    expect((await get(mine.id)).body).toEqual(mine);
  });

  it('need templates:read for reads, templates:write for changes, and emails:send as well for tests', async () => {
    const { slug } = await fresh();
    const reader = await server.newKey({ scopes: ['templates:read'] });
    const writer = await server.newKey({ scopes: ['templates:write'] });
    const sender = await server.newKey({ scopes: ['emails:send'] });
    for (const [method, path, body] of [
      ['GET', '/templates'],
      ['GET', `/templates/${slug}`],
      ['POST', `/templates/${slug}/render`, {}],
    ] as const) {
      const call = (key: string) => server.call(method, path, { key, ...(body === undefined ? {} : { body }) });
      expect((await call(reader)).status).toBe(200);
      expectProblem(await call(writer), 403, 'missing_scope');
    }
    for (const [method, path, body] of [
      ['POST', '/templates', { name: 'x', text: 'x' }],
      ['PATCH', `/templates/${slug}`, { name: 'x' }],
      ['DELETE', `/templates/${slug}`],
    ] as const) {
      const options = { key: reader, ...(body === undefined ? {} : { body }) };
      expectProblem(await server.call(method, path, options), 403, 'missing_scope');
    }
    for (const key of [reader, writer, sender])
      expectProblem(await server.call('POST', `/templates/${slug}/test`, { key, body: {} }), 403, 'missing_scope');
    expectProblem(await server.call('GET', '/templates', { key: null }), 401, 'missing_key');
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCaptured } from '../../harness/captured-mail.ts';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { type CallOptions, startTestApp, type TestApp } from '../../harness/test-app.ts';

describe('a send with a template', () => {
  let server: TestApp;
  let serial = 0;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  const send = (body: object, options: CallOptions = {}) =>
    server.call('POST', '/emails', {
      ...options,
      body: { from: 'Ada <ada@sandbox.test>', to: 'delivered@sandbox.test', ...body },
    });
  const stored = async (content: object) => {
    serial += 1;
    const body = { name: `t${serial}`, subject: 'Hi {{ name }}', ...content };
    const response = await server.call('POST', '/templates', { body });
    expect(response.status).toBe(201);
    return response.body;
  };
  const read = async (id: string) => (await server.settled(id)).body;

  it('is rendered, delivered as rendered, and read back with the version that was used', {
    tags: [
      'send-request.template',
      'send-request.variables',
      'send-request.body-form-template',
      'contract-messages.single-read-template',
      'service.templates',
    ],
  }, async () => {
    const { slug } = await stored({ slug: 'welcome', html: '<p>Dear {{ name }}</p>', text: 'Dear {{ name }}' });
    const subject = 'Hi Ada & <Bo>';
    const sent = await send({ template: slug, variables: { name: 'Ada & <Bo>' } });
    expect([sent.status, sent.body]).toEqual([202, { id: expect.any(String), status: 'queued' }]);
    expect(await read(sent.body.id)).toMatchObject({
      status: 'delivered',
      subject,
      html: '<p>Dear Ada &amp; &lt;Bo&gt;</p>',
      text: 'Dear Ada & <Bo>',
      template: 'welcome@1',
    });
    const [mail] = await readCaptured(server, subject);
    expect(mail?.parsed.html).toContain('<p>Dear Ada &amp; &lt;Bo&gt;</p>');
  });

  it('names it by slug or id, pinned or not: unpinned is the current version', {
    tags: ['contract-sending.template'],
  }, async () => {
    const { id, slug } = await stored({ text: 'one' });
    await server.call('PATCH', `/templates/${id}`, { body: { text: 'two' } });
    const textOf = async (template: string) =>
      (await read((await send({ template, variables: { name: 'x' } })).body.id)).text;
    expect(await Promise.all([slug, id, `${slug}@1`, `${id}@1`, `${slug}@2`, slug.toUpperCase()].map(textOf))).toEqual([
      'two',
      'two',
      'one',
      'one',
      'two',
      'two',
    ]);
    await server.call('PATCH', `/templates/${id}`, { body: { rollbackTo: 1 } });
    expect(await textOf(slug)).toBe('one');
  });

  it.each([
    'nope',
    'nope@1',
    'welcome@99',
    'welcome@0',
    'welcome@',
    'welcome@x',
    '@1',
    'a@b@1',
    '01890000-0000-7000-8000-000000000000',
    "' OR 1=1",
  ])('rejects %j as unknown', { tags: ['contract-errors.422-templates'] }, async (template) => {
    const response = await send({ template, variables: { name: 'x' } });
    expectProblem(response, 422, 'template_not_found');
    expect(response.body.errors).toEqual([{ path: 'template', code: 'not_found', message: expect.any(String) }]);
  });

  it('does not find the templates of another account', async () => {
    const { id, slug } = await stored({ text: 'x' });
    const { key } = await server.newAccount();
    for (const template of [id, slug, `${id}@1`])
      expectProblem(await send({ template, variables: { name: 'x' } }, { key }), 422, 'template_not_found');
  });

  it('is rejected with the names of missing variables, and stores nothing', {
    tags: ['templates.escaping', 'contract-errors.422-templates'],
  }, async () => {
    const { slug } = await stored({
      html: '{{ user.name }}{{ note | default: "-" }}{% if vip %}{{ discount }}{% endif %}',
    });
    const before = (await server.call('GET', '/emails')).body.total;
    const response = await send({ template: slug, variables: { vip: true, name: null } });
    expectProblem(response, 422, 'template_variable_missing');
    expect(response.body.errors.map(({ path }: { path: string }) => path)).toEqual([
      'variables.name',
      'variables.user.name',
      'variables.discount',
    ]);
    expect(response.body.detail).toContain('user.name');
    expectProblem(await send({ template: slug }), 422, 'template_variable_missing');
    expect((await server.call('GET', '/emails')).body.total).toBe(before);
    expect((await send({ template: slug, variables: { name: '', user: { name: '' } } })).status).toBe(202);
  });

  it('is rejected when it cannot be rendered, within a second', {
    tags: ['contract-errors.422-templates'],
  }, async () => {
    const { slug } = await stored({ text: '{% for i in (1..n) %}{% for j in (1..n) %}.{% endfor %}{% endfor %}' });
    const began = performance.now();
    const response = await send({ template: slug, variables: { name: 'x', n: 100_000 } });
    expectProblem(response, 422, 'template_render_failed');
    expect(response.body.errors[0]).toMatchObject({ path: 'template.text', code: 'render_failed' });
    expect(performance.now() - began).toBeLessThan(6_000);
  });

  it('is rejected with the name of an object that it would print', async () => {
    const { slug } = await stored({ html: '<p>Dear {{ name }}</p>' });
    const response = await send({ template: slug, variables: { name: { first: 'Ada' } } });
    expectProblem(response, 422, 'template_render_failed');
    expect(response.body.detail).toContain('`name` is an object');
    const dryRun = await send({ template: slug, variables: { name: { first: 'Ada' } }, dry_run: true });
    expect(JSON.stringify(dryRun.body.checks)).toContain('`name` is an object');
  });

  it('uses the subject of the request before the template’s, which may then be missing', {
    tags: ['contract-sending.subject-from-template'],
  }, async () => {
    const { slug } = await stored({ text: 'x' });
    const sent = await send({ template: slug, subject: 'Own {{ name }}' });
    expect((await read(sent.body.id)).subject).toBe('Own {{ name }}');
    const bare = await stored({ subject: null, text: 'x' });
    expectInvalid(await send({ template: bare.slug }), ['subject', 'required']);
    expect((await send({ template: bare.slug, subject: 'Own' })).status).toBe(202);
  });

  it('rejects a template beside a body, and variables without a template', {
    tags: ['contract-sending.required-template'],
  }, async () => {
    const { slug } = await stored({ text: 'x' });
    expectInvalid(await send({ template: slug, html: '<p>x</p>', variables: { name: 'x' } }), ['html', 'conflict']);
    expectInvalid(await send({ template: slug, text: '', variables: { name: 'x' } }), ['text', 'conflict']);
    expectInvalid(await send({ subject: 'x', text: 'x', variables: {} }), ['variables', 'conflict']);
    expectInvalid(await send({ template: slug, variables: 'x' }), 'variables');
    expectInvalid(await send({ template: slug, variables: { unsubscribe_url: 'x' } }), 'variables.unsubscribe_url');
    const proto = { ['__proto__' as string]: 1 };
    expectInvalid(await send({ template: slug, variables: proto }), 'variables.__proto__');
  });

  it('derives the text from its HTML, and sends none when the template’s text is empty', async () => {
    const derived = await stored({ html: '<p>Hi {{ name }}</p>' });
    const variables = { name: 'A & B' };
    expect((await read((await send({ template: derived.slug, variables })).body.id)).text).toContain('Hi A & B');
    const off = await stored({ html: '<p>Hi</p>', text: '' });
    expect((await read((await send({ template: off.slug, variables })).body.id)).text).toBeNull();
  });

  it('rejects a message that became empty', async () => {
    const { slug } = await stored({ subject: '{{ s }}', text: '{{ t }}' });
    expectProblem(await send({ template: slug, variables: { s: '\n', t: 'x' } }), 422, 'template_render_failed');
    expectProblem(await send({ template: slug, variables: { s: 'x', t: '' } }), 422, 'template_render_failed');
    const long = await send({ template: slug, variables: { s: 'x'.repeat(999), t: 'x' } });
    expectProblem(long, 422, 'template_render_failed');
    expect(long.body.errors[0].path).toBe('template.subject');
  });

  it('adds no header by a value of its subject', async () => {
    const { slug } = await stored({ text: 'x' });
    const sent = await send({ template: slug, variables: { name: 'Eve\r\nBcc: evil@example.com\r\n\r\nBody' } });
    const subject = 'Hi Eve Bcc: evil@example.com Body';
    expect((await read(sent.body.id)).subject).toBe(subject);
    const [mail] = await readCaptured(server, subject);
    expect(mail?.parsed.bcc ?? []).toEqual([]);
    expect(mail?.to).toEqual(['delivered@sandbox.test']);
    expect(mail?.raw).not.toMatch(/^Bcc:/im);
  });

  it('keeps its content when the template is changed or deleted, and is rejected later', {
    tags: ['templates.delete'],
  }, async () => {
    const { id, slug } = await stored({ text: 'Dear {{ name }}' });
    const { body: sent } = await send({ template: slug, variables: { name: 'Ada' } });
    await server.call('PATCH', `/templates/${id}`, { body: { text: 'Other' } });
    await server.call('DELETE', `/templates/${id}`);
    expect(await read(sent.id)).toMatchObject({ text: 'Dear Ada', template: `${slug}@1` });
    for (const template of [slug, id, `${slug}@1`])
      expectProblem(await send({ template, variables: { name: 'x' } }), 422, 'template_not_found');
  });

  it('is replayed under its idempotency key also when the template is gone meanwhile', async () => {
    const { id, slug } = await stored({ text: 'x' });
    const again = (variables: object) =>
      send({ template: slug, variables }, { headers: { 'idempotency-key': `key-${slug}` } });
    const first = await again({ name: 'A' });
    await server.call('DELETE', `/templates/${id}`);
    const second = await again({ name: 'A' });
    expect([second.status, second.body]).toEqual([202, first.body]);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expectProblem(await again({ name: 'B' }), 422, 'idempotency_key_reused');
  });

  it('uses every change that was completed earlier', async () => {
    const { id, slug } = await stored({ text: 'v1' });
    for (let version = 2; version <= 8; version += 1) {
      await server.call('PATCH', `/templates/${id}`, { body: { text: `v${version}` } });
      const { body } = await send({ template: slug, variables: { name: 'x' } });
      expect(await read(body.id)).toMatchObject({ text: `v${version}`, template: `${slug}@${version}` });
    }
  });

  it('works beside others in a batch, each with its own values and its own error', async () => {
    const { slug } = await stored({ text: 'Dear {{ name }}' });
    const item = { from: 'ada@sandbox.test', to: 'delivered@sandbox.test', template: slug };
    const emails = [
      ...Array.from({ length: 40 }, (_, index) => ({ ...item, variables: { name: `n${index}` } })),
      { ...item, variables: {} },
      { ...item, template: 'nope' },
    ];
    const { status, body } = await server.call('POST', '/emails/batch', { body: { emails } });
    expect(status).toBe(207);
    expect(body).toMatchObject({ accepted: 40, refused: 2, total: 42 });
    expect(body.results[40].error.code).toBe('template_variable_missing');
    expect(body.results[41].error.code).toBe('template_not_found');
    expect((await read(body.results[17].id)).text).toBe('Dear n17');
  });

  it('shows in a dry run what it would become, or why it would fail', async () => {
    const { slug } = await stored({ text: 'Dear {{ name }}' });
    const dry = async (variables: object) => (await send({ template: slug, variables, dry_run: true })).body;
    expect((await dry({ name: 'Ada' })).message).toMatchObject({
      subject: 'Hi Ada',
      text: 'Dear Ada',
      template: `${slug}@1`,
    });
    const refused = await dry({});
    expect(refused.ok).toBe(false);
    expect(refused.checks).toContainEqual(expect.objectContaining({ ok: false, code: 'template_variable_missing' }));
  });
});

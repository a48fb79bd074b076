import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { holdingKey } from '../../approvals/approving.ts';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

/** A second, and what a machine adds that has many times its cores to do. */
const PATIENCE_MS = 6_000;

describe('POST /templates/render', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  const preview = (body: object, key: string | null = server.key) =>
    server.call('POST', '/templates/render', { body, key });

  it('renders content that is not stored, names its variables, and stores and sends nothing', {
    tags: ['templates.preview'],
  }, async () => {
    const html = '<p>{{ name }} {{ nick | default: "?" }}</p>';
    const { status, body } = await preview({ subject: 'Hi {{ name }}', html, variables: { name: '<Ada>' } });
    expect([status, body]).toEqual([
      200,
      {
        ...{ subject: 'Hi <Ada>', html: '<p>&lt;Ada&gt; ?</p>', text: '<Ada> ?', missing: [] },
        variables: [
          { name: 'name', required: true },
          { name: 'nick', required: false },
        ],
      },
    ]);
    expect((await preview({ text: '{{ name }}' })).body).toMatchObject({ html: null, text: null, missing: ['name'] });
    expect((await server.call('GET', '/templates')).body.total).toBe(0);
    expect((await server.call('GET', '/emails')).body.total).toBe(0);
  });

  it('names part and line of each fault', async () => {
    const refused = await preview({ subject: '{{', html: '<p>\n{% if x %}', text: 'x' });
    expectProblem(refused, 422, 'template_render_failed');
    expect(refused.body.errors).toEqual([
      { path: 'subject', code: 'render_failed', message: expect.stringContaining('line 1') },
      { path: 'html', code: 'render_failed', message: expect.stringContaining('line 2') },
    ]);
    const wrong = await preview({ html: 'a\nb {{ v | nofilter }}', variables: { v: 1 } });
    expectProblem(wrong, 422, 'template_render_failed');
    expect(wrong.body.errors[0]).toMatchObject({ path: 'html', message: expect.stringContaining('line 2') });
  });

  it('rejects content without a body, unknown fields and invalid variables', async () => {
    expectInvalid(await preview({ subject: 'Hi' }), ['html', 'required']);
    expectInvalid(await preview({ html: 'x', slug: 'welcome' }), 'slug');
    expectInvalid(await preview({ html: 'x', version: 1 }), 'version');
    expectInvalid(await preview({ html: 'x', variables: [] }), 'variables');
    expectInvalid(await preview({ html: 'x', variables: { unsubscribe_url: 'x' } }), [
      'variables.unsubscribe_url',
      'reserved',
    ]);
  });

  it('stops endless and huge content within a second', async () => {
    const began = performance.now();
    const html = '{% for i in (1..1000000) %}{% for j in (1..1000000) %}x{% endfor %}{% endfor %}';
    expectProblem(await preview({ html }), 422, 'template_render_failed');
    expectProblem(await preview({ html: '{% if a %}'.repeat(100_000) }), 422, 'template_render_failed');
    expect(performance.now() - began).toBeLessThan(2 * PATIENCE_MS);
  });

  it('works for held keys with templates:read, and for no key without it', async () => {
    const { key: held } = await holdingKey(server);
    expect((await preview({ text: 'x' }, held)).status).toBe(200);
    const other = await server.newKey({ scopes: ['emails:send'] });
    expectProblem(await preview({ text: 'x' }, other), 403, 'missing_scope');
    expectProblem(await preview({ text: 'x' }, null), 401, 'missing_key');
  });

  it('leaves a template with the slug `render` reachable', async () => {
    const made = await server.call('POST', '/templates', { body: { slug: 'render', name: 'Render', text: 'Stored' } });
    expect(made.status).toBe(201);
    expect((await server.call('GET', '/templates/render')).body.text).toBe('Stored');
    expect((await server.call('PATCH', '/templates/render', { body: { text: 'Two' } })).status).toBe(200);
    expect((await server.call('POST', '/templates/render/render', { body: {} })).body.text).toBe('Two');
    expect((await server.call('DELETE', '/templates/render')).status).toBe(200);
    expectProblem(await server.call('GET', '/templates/render'), 404, 'not_found');
    const refused = await server.call('PUT', '/templates/render', { key: null });
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'POST, GET, PATCH, DELETE, HEAD']);
  });
});

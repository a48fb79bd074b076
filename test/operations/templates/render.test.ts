import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

/** A second, and what a machine adds that has many times its cores to do; what is not stopped takes minutes. */
const PATIENCE_MS = 6_000;

describe('POST /templates/:id/render', () => {
  let server: TestApp;
  let serial = 0;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  const stored = async (content: object) => {
    serial += 1;
    const response = await server.call('POST', '/templates', { body: { name: `t${serial}`, ...content } });
    expect(response.status).toBe(201);
    return response.body.slug as string;
  };
  const render = (slug: string, body: object = {}, key = server.key) =>
    server.call('POST', `/templates/${slug}/render`, { body, key });
  const renderHtml = async (html: string, variables: object = {}) =>
    (await render(await stored({ html }), { variables })).body.html;

  it('returns the parts with values, and sends nothing', {
    tags: ['templates.render', 'templates.render-fields'],
  }, async () => {
    const slug = await stored({ subject: 'Hi {{ name }}', html: '<p>{{ name }}</p>', text: 'Hi {{ name }}' });
    const { status, body } = await render(slug, { variables: { name: 'Ada' } });
    expect([status, body]).toEqual([
      200,
      { subject: 'Hi Ada', html: '<p>Ada</p>', text: 'Hi Ada', version: 1, status: 'published', missing: [] },
    ]);
    expect((await server.call('GET', '/emails')).body.total).toBe(0);
  });

  it('derives the text from the HTML when the template has none, and leaves it out when it is empty', async () => {
    const html = '<h1>{{ title }}</h1>';
    const variables = { title: 'A & B' };
    expect((await render(await stored({ html }), { variables })).body).toMatchObject({ subject: null, text: 'A & B' });
    expect((await render(await stored({ html, text: '' }), { variables })).body.text).toBeNull();
  });

  it('renders an earlier version, and parts that are not stored yet', async () => {
    const slug = await stored({ subject: 'One', html: '<p>{{ x }}</p>' });
    await server.call('PATCH', `/templates/${slug}`, { body: { subject: 'Two' } });
    expect((await render(slug, { variables: { x: 1 }, version: 1 })).body).toMatchObject({
      subject: 'One',
      version: 1,
    });
    const draft = { variables: { x: 1 }, html: '<i>{{ x }}</i>', subject: null };
    expect((await render(slug, draft)).body).toMatchObject({ subject: null, html: '<i>1</i>', version: 2 });
    expect((await server.call('GET', `/templates/${slug}`)).body.currentVersion).toBe(2);
    expectProblem(await render(slug, { version: 3 }), 422, 'template_not_found');
    expectProblem(await render(slug, { html: '{{' }), 422, 'template_render_failed');
    expectProblem(await render('nope', {}), 404, 'not_found');
    expectInvalid(await render(slug, { version: 0 }), 'version');
    expectInvalid(await render(slug, { variables: [] }), 'variables');
    expectInvalid(await render(slug, { vars: {} }), 'vars');
  });

  it.each([
    ['{{ user }}', { user: { name: 'Ada' } }, '`user`', '`user.name`'],
    ['{{ user | upcase }}', { user: { name: 'Ada' } }, '`user`', '`user.name`'],
    ['<a href="/?u={{ user | url_encode }}">', { user: { name: 'Ada' } }, '`user`', '`user.name`'],
    ['{% assign x = order.user | append: "!" %}{{ x }}', { order: { user: {} } }, '`order.user`', 'JSON'],
    ['{{ items }}', { items: [1, { price: 1 }] }, '`items[]`', '`items[].price`'],
    ['{% for item in items %}{{ item }}{% endfor %}', { items: [{ price: 1 }] }, '`items[]`', '`items[].price`'],
  ])('rejects %j, which would print an object', async (html, variables, name, advice) => {
    const response = await render(await stored({ html }), { variables });
    expectProblem(response, 422, 'template_render_failed');
    expect(response.body.errors).toMatchObject([{ path: 'html', code: 'render_failed' }]);
    expect(response.body.errors[0].message).toContain(`${name} is an object`);
    expect(response.body.errors[0].message).toContain(advice);
  });

  it.each([
    ['{{ user | json | raw }}', { user: { name: 'Ada' } }, '{"name":"Ada"}'],
    ['{{ users | map: "name" | join: ", " }}', { users: [{ name: 'A' }, { name: 'B' }] }, 'A, B'],
    ['{{ list }}', { list: [1, [2, 'x']] }, '12x'],
    ['{{ text }}{{ user.name }}', { text: '[object Object]', user: { name: 'A' } }, '[object Object]A'],
  ])('prints %j', async (html, variables, printed) => {
    expect(await renderHtml(html, variables)).toBe(printed);
  });

  it.each([
    ['{{ name }}', {}, ['name']],
    ['{{ name }}', { name: null }, ['name']],
    ['{{ name }}{{ zero }}{{ no }}{{ empty }}', { name: '', zero: 0, no: false, empty: [] }, []],
    ['{{ user.name }} {{ user.mail }}', { user: { name: 'A' } }, ['user.mail']],
    [
      '{{ name | default: "you" }}{% if vip %}!{% endif %}{% unless a %}{% endunless %}{% case b %}{% endcase %}',
      {},
      [],
    ],
    ['{% if vip %}{{ discount }}{% else %}{{ price }}{% endif %}', { vip: true }, ['discount']],
    ['{% if vip %}{{ discount }}{% else %}{{ price }}{% endif %}', { price: 1 }, []],
    ['{{ nick | default: name }}', {}, ['name']],
    ['{{ nick | default: name }}', { nick: 'N' }, []],
    ['{{ price | times: rate }}', { price: 2 }, ['rate']],
    ['{% for item in items %}{{ item.price }}{% endfor %}', {}, ['items']],
    ['{% for item in items %}{{ item.price }}{% endfor %}', { items: [{ price: 1 }, {}] }, ['items[].price']],
    ['{% for item in items %}{{ forloop.index }}{{ item }}{% endfor %}', { items: ['a'] }, []],
    ['{% assign x = name | upcase %}{{ x }}{% capture y %}{{ z }}{% endcapture %}{{ y }}', {}, ['name', 'z']],
    [
      '{{ lists[0].name }}{{ prices[currency] }}',
      { lists: [], prices: {}, currency: 'eur' },
      ['lists[].name', 'prices[]'],
    ],
    ['{{ unsubscribe_url }}', {}, []],
  ])('names what is missing in %j with %j', async (html, variables, missing) => {
    const { status, body } = await render(await stored({ html }), { variables });
    expect([status, body.missing]).toEqual([200, missing]);
  });

  it('escapes values in the HTML, and in the HTML alone', { tags: ['templates.escaping'] }, async () => {
    expect(await renderHtml('{{ v | newline_to_br }}', { v: '<\n' })).toBe('&lt;<br />\n');
    const source = '{{ v }}|{{ v | raw }}|{{ v | escape }}|{{ list }}|{% echo v %}|{% cycle v %}';
    const slug = await stored({ html: source, text: source, subject: '{{ v }}' });
    const v = `<b>"'&</b>`;
    const escaped = '&lt;b&gt;&#34;&#39;&amp;&lt;/b&gt;';
    const { body } = await render(slug, { variables: { v, list: [v] } });
    expect(body.html).toBe([escaped, v, escaped, escaped, escaped, escaped].join('|'));
    expect(body.text).toBe([v, v, escaped, v, v, v].join('|'));
    expect(body.subject).toBe(v);
  });

  it('keeps {{unsubscribe_url}} for the delivery, and accepts no value of that name', async () => {
    const slug = await stored({ html: '<a href="{{ unsubscribe_url }}">x</a>', text: 'x {{unsubscribe_url}}' });
    expect((await render(slug)).body).toMatchObject({
      html: '<a href="{{unsubscribe_url}}">x</a>',
      text: 'x {{unsubscribe_url}}',
    });
    expectInvalid(await render(slug, { variables: { unsubscribe_url: 'x' } }), [
      'variables.unsubscribe_url',
      'reserved',
    ]);
  });

  it('lets no value add a header: a line break in a subject becomes a space', async () => {
    const slug = await stored({ subject: 'Hi {{ name }}!', text: 'x' });
    const name = 'A\r\nBcc: evil@example.com\u2028\u0085\u202e\tB';
    const { subject } = (await render(slug, { variables: { name } })).body;
    expect(subject).toBe('Hi A Bcc: evil@example.com B!');
  });

  it('repairs what filters can break: unpaired surrogates and a decoded NUL', async () => {
    const source = '{{ face | slice: 0 }}{{ nul | url_decode }}|';
    const { status, body } = await render(await stored({ html: source, subject: source }), {
      variables: { face: '\u{1f600}', nul: '%00' },
    });
    expect(status).toBe(200);
    expect(body.html.isWellFormed() && body.subject.isWellFormed()).toBe(true);
    expect(`${body.html}${body.subject}`).not.toContain('\u0000');
  });

  it.each([
    '{{ v.constructor }}',
    '{{ v.__proto__ }}',
    '{{ o.constructor.constructor }}',
    '{{ o.toString }}{{ o.hasOwnProperty }}{{ o.valueOf }}',
    '{{ list | map: "constructor" }}{{ list.constructor }}{{ list.push }}',
    '{{ list | where: "constructor" | size | minus: 0 | times: 0 | remove: "0" }}',
    '{{ constructor }}{{ __proto__ }}{{ process }}{{ globalThis }}{{ require }}{{ this }}',
    '{% assign c = "constructor" %}{{ o[c] }}{{ v[c] }}',
    '{{ forloop.constructor }}{% for i in list %}{{ i.constructor }}{% endfor %}',
  ])('reveals nothing of prototypes and of the process: %s', async (html) => {
    expect(await renderHtml(html, { v: 'text', o: { a: 1 }, list: [{ a: 1 }] })).toBe('');
  });

  it.each([
    ['{{ v | constructor }}'],
    ['{{ v | toString }}'],
    ['{{ v | __proto__ }}'],
    ['{% constructor %}'],
    ['{% toString %}'],
  ])('has no filter and no tag of an inherited name: %s', async (html) => {
    const body = { name: 'x', html };
    expectInvalid(await server.call('POST', '/templates', { body }), ['html', 'invalid_liquid']);
  });

  it.each<readonly [what: string, html: string, variables: object]>([
    ['a huge range', '{% for i in (1..100000000) %}x{% endfor %}', {}],
    ['nested loops', '{% for i in (1..1000000) %}{% for j in (1..1000000) %}x{% endfor %}{% endfor %}', {}],
    ['a loop without a body', '{% for i in (1..3900000) %}{% endfor %}', {}],
    ['lists in lists of ranges', '{% for i in (1..2000000) %}{% for j in (1..1900000) %}{% endfor %}{% endfor %}', {}],
    [
      'a string that doubles',
      '{% assign a = v %}{% for i in (1..99) %}{% assign a = a | append: a %}{% endfor %}{{ a }}',
      { v: 'aaaa' },
    ],
    [
      'a capture that doubles',
      '{% assign a = v %}{% for i in (1..40) %}{% capture a %}{{ a }}{{ a }}{% endcapture %}{% endfor %}{{ a }}',
      { v: 'a' },
    ],
    [
      'a list that doubles',
      '{% assign l = v | split: "" %}{% for i in (1..99) %}{% assign l = l | concat: l %}{% endfor %}',
      { v: 'x'.repeat(1000) },
    ],
    [
      'sorting again and again',
      '{% for i in (1..100000) %}{% assign l = v | sort | reverse | uniq %}{% endfor %}',
      { v: Array.from({ length: 3_000 }, (_, index) => `k${(index * 7_919) % 3_000}`) },
    ],
    ['a date as wide as a book', '{{ "now" | date: "%99999999d" }}', {}],
    ['a result past its limit', '{% for i in (1..10000) %}{{ v | raw }}{% endfor %}', { v: 'x'.repeat(10_000) }],
  ])('ends with %s within a second, without side effects', async (_, html, variables) => {
    const bomb = await stored({ html });
    const fair = await stored({ html: '<p>{{ name }}</p>' });
    const other = await server.newAccount();
    await server.call('POST', '/templates', {
      key: other.key,
      body: { slug: 'theirs', name: 'x', html: '{{ name }}' },
    });
    const began = performance.now();
    const bombs = Promise.all([render(bomb, { variables }), render(bomb, { variables })]);
    const theirs = render('theirs', { variables: { name: 'Bo' } }, other.key).then((response) => ({
      response,
      tookMs: performance.now() - began,
    }));
    for (const response of await bombs) expectProblem(response, 422, 'template_render_failed');
    expect(performance.now() - began).toBeLessThan(PATIENCE_MS);
    const { response, tookMs } = await theirs;
    expect(response.body.html).toBe('Bo');
    expect(tookMs).toBeLessThan(PATIENCE_MS);
    expect((await render(fair, { variables: { name: 'Ada' } })).body.html).toBe('<p>Ada</p>');
    expect((await server.call('GET', '/health/ready', { key: null })).status).toBe(200);
  });

  it.each([
    ['400,000 outputs', '{{a}}'.repeat(400_000)],
    ['tags as deep as the stack', '{% if a %}'.repeat(100_000)],
  ])('rejects %s when they are to be stored, within a second', async (_, html) => {
    const began = performance.now();
    const response = await server.call('POST', '/templates', { body: { name: 'bomb', html } });
    expectInvalid(response, ['html', 'invalid_liquid']);
    expect(response.body.errors[0].message.length).toBeLessThan(300);
    expect(performance.now() - began).toBeLessThan(PATIENCE_MS);
  });

  it.each([
    ['strip_html', '<'.repeat(300_000)],
    ['strip_html', '<script'.repeat(40_000)],
    ['strip_html', '<!--'.repeat(70_000)],
    ['normalize_whitespace', `${' '.repeat(300_000)}x`],
    ['strip', `${' '.repeat(300_000)}x`],
    ['rstrip', `x${' '.repeat(300_000)}x`],
    ['slugify', `${'-'.repeat(300_000)}x`],
    ['truncatewords: 5', `${' '.repeat(300_000)}x`],
    ['newline_to_br', '\r'.repeat(300_000)],
    ['url_decode', '%E0'.repeat(100_000)],
    ['date: "%Y"', '9'.repeat(300_000)],
    ['number_of_words', `${' '.repeat(300_000)}x`],
  ])('responds within a second whatever text %s is applied to', async (filter, v) => {
    const slug = await stored({ html: `{{ v | ${filter} }}` });
    const began = performance.now();
    expect([200, 422]).toContain((await render(slug, { variables: { v } })).status);
    expect(performance.now() - began).toBeLessThan(PATIENCE_MS);
  });

  it('rejects more variables than a rendering can contain', async () => {
    const slug = await stored({ html: '{{ v | raw }}' });
    expectInvalid(await render(slug, { variables: { v: 'x'.repeat(1_000_000) } }), ['variables', 'too_long']);
    expect((await render(slug, { variables: { v: 'x'.repeat(900_000) } })).status).toBe(200);
  });

  it('renders under load as it does alone, each with its own values', async () => {
    const slug = await stored({ html: '{% for i in (1..50) %}{{ name }}{% endfor %}' });
    const responses = await Promise.all(
      Array.from({ length: 60 }, (_, index) => render(slug, { variables: { name: `n${index},` } })),
    );
    expect(responses.map(({ body }) => body.html)).toEqual(responses.map((_, index) => `n${index},`.repeat(50)));
  });
});

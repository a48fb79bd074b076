import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { holdingKey } from './approving.ts';

const PROSE = ['Ada, your mailbox closes today; ', 'please call our desk at once ', 'and read the code we sent you. '];
const LINES = Array.from({ length: 20 }, (_, index) => ({
  name: `Green tea no. ${index}`,
  qty: index + 1,
  price: '3.50',
}));

const TEMPLATES = {
  greet: { subject: 'Hi {{ name }}', html: '<p>Dear {{ name }}</p>', text: 'Dear {{ name }}' },
  html: { subject: 'Hi', html: '<p>Dear {{ name }}</p>' },
  loop: { subject: 'Hi', text: '{% for item in items %}{{ item }}{% endfor %}' },
  two: { subject: 'Hi', html: '<p>{{ a }}<b>{{ b }}</b></p>', text: 'Dear {{ a }}{{ b }}' },
  spaced: { subject: 'Hi', html: '<p>{{ a }} {{ b }}</p>', text: '{{ a }} {{ b }}' },
  dotted: { subject: 'Hi', html: '<p>{{ a }}.com</p>' },
  raw: { subject: 'Hi', html: '<p>{{ a | raw }}</p>' },
  url: { subject: 'Hi', html: '<p>{{ a | url_decode }}</p>', text: 'Hi' },
  base64: { subject: 'Hi', text: '{{ a | base64_decode }}' },
  captured: { subject: 'Hi', text: '{% capture c %}{{ a }}{% endcapture %}{% assign d = c | append: b %}{{ d }}' },
  echoed: { subject: 'Hi', text: '{% liquid\n echo a\n echo b\n%}' },
  cycled: { subject: 'Hi', text: '{% cycle a %}{% cycle b %}' },
  pairs: { subject: 'Hi', text: '{% for pair in a %}{{ pair[0] }}{{ pair[1] }}{% endfor %}' },
  redirect: { subject: 'Hi', html: '<a href="https://acme.com/?to={{ a }}">Shop</a>' },
  link: { subject: 'Hi', html: '<a href="{{ a }}{{ b }}">Shop</a>' },
  joined: { subject: 'Hi', text: 'For {{ items | join: ", " }}' },
  order: {
    subject: 'Order {{ order }}',
    html: '<p>Dear {{ name }}</p><ul>{% for i in items %}<li>{{ i.qty }} x {{ i.name }}: {{ i.price }}</li>{% endfor %}</ul><a href="https://acme.com/orders/{{ order }}">Order</a>',
    text: 'Dear {{ name }}\n{% for i in items %}{{ i.qty }} x {{ i.name }}: {{ i.price }}\n{% endfor %}{% if plan == "pro" %}https://pro.acme.com, call +1 900 555 0199{% endif %}\nhttps://acme.com/orders/{{ order }}',
  },
  footer: {
    subject: 'Hi',
    text: `{% capture footer %}${'Acme Ltd, see https://acme.com. '.repeat(6)}{% endcapture %}Dear {{ name }}\n{{ footer }}\n{{ unsubscribe_url }}`,
  },
  account: { subject: 'Hi', text: 'Your account is {{ email }}.' },
} as const;

describe('what values add to a vetted template', () => {
  let server: TestApp;
  let key: string;
  beforeAll(async () => {
    server = await startTestApp();
    ({ key } = await holdingKey(server, { approvalMode: 'policy', holdWhen: { freeformBody: true } }));
    for (const [slug, parts] of Object.entries(TEMPLATES)) {
      const made = await server.call('POST', '/templates', { body: { slug: `v-${slug}`, name: slug, ...parts } });
      expect(made.status, slug).toBe(201);
    }
  });
  afterAll(() => server.close());

  const reasons = async (template: keyof typeof TEMPLATES, variables: object) => {
    const body = { from: 'ada@sandbox.test', to: 'bob@receiver.example', template: `v-${template}`, variables };
    const { status, body: response } = await server.call('POST', '/emails', { key, body: { ...body, dry_run: true } });
    expect({ status, response }).toMatchObject({ status: 200 });
    return response.reasons ?? [];
  };

  it.each<[keyof typeof TEMPLATES, object]>([
    ['greet', { name: ['https:', '//', 'evil', '.com/pay'] }],
    ['greet', { name: [...PROSE, ...PROSE] }],
    ['greet', { name: ['Ada'] }],
    ['greet', { name: [['evil'], ['.com']] }],
    ['html', { name: { a: 'Ada' } }],
    ['html', { name: 'Call +1 (900) 555-0199' }],
    ['html', { name: 'Call 0900 555 0199' }],
    ['loop', { items: ['w', 'ww', '.evil', '.com'] }],
    ['loop', { items: [...PROSE, ...PROSE] }],
    ['loop', { items: ['{{', 'unsubscribe_url', '}}'] }],
    ['two', { a: 'evil', b: '.com' }],
    ['two', { a: 'mallory@', b: 'evil.com' }],
    ['spaced', { a: '+1 900', b: '555 0199' }],
    ['dotted', { a: 'evil' }],
    ['raw', { a: 'https&colon;&sol;&sol;evil&period;com' }],
    ['raw', { a: '&lt;b&gt;Pay' }],
    ['url', { a: '%3Ca href' }],
    ['url', { a: 'evil%252Ecom' }],
    ['base64', { a: 'aHR0cHM6Ly9ldmlsLmNvbQ==' }],
    ['captured', { a: 'evil', b: '.com' }],
    ['echoed', { a: 'evil', b: '.com' }],
    ['cycled', { a: 'evil', b: '.com' }],
    ['pairs', { a: { evil: '.com' } }],
    ['redirect', { a: 'https%3A%2F%2Fevil%2Ecom' }],
    ['link', { a: 'java', b: 'script:alert' }],
    ['joined', { items: PROSE.map((text) => text.repeat(2)) }],
    ['order', { name: 'Ada', order: 1, items: [...LINES, ...LINES, ...LINES, ...LINES] }],
    ['account', { email: 'mallory@evil.com' }],
  ])('holds %s with %j', { tags: ['holes.freeform'] }, async (template, variables) => {
    expect(await reasons(template, variables)).toEqual(['freeformBody']);
  });

  it.each<[keyof typeof TEMPLATES, object]>([
    ['greet', { name: 'Ada O’Neil & "Co"' }],
    ['order', { name: 'Ada', order: '2026-000123', items: LINES }],
    ['order', { name: 'Ada', order: 4_711, items: LINES.slice(0, 3), plan: 'pro', due: '2026-11-22 10:30' }],
    ['spaced', { a: 'Due 2026-11-22 10:30', b: 'or 01.12.2026 10:30' }],
    ['joined', { items: ['Tea', 'Milk', 'Sugar'] }],
    ['footer', { name: 'Ada' }],
    ['account', { email: 'bob@receiver.example' }],
  ])('sends %s with %j', async (template, variables) => {
    expect(await reasons(template, variables)).toEqual([]);
  });

  it('holds a list that becomes a link', { tags: ['holes.freeform'] }, async () => {
    const variables = { name: ['https:', '//', 'evil', '.com/pay'] };
    const body = { from: 'ada@sandbox.test', to: 'bob@receiver.example', template: 'v-greet', variables };
    const { body: response } = await server.call('POST', '/emails', { key, body });
    expect(response).toMatchObject({ status: 'pending_approval', reasons: ['freeformBody'] });
  });
});

import { connect } from 'node:net';
import { createTransport } from 'nodemailer';
import { HOSTILE_BODIES, HOSTILE_LINES } from './hostile-bodies.ts';
import { holds } from './hostile-holds.ts';
import { HOSTILE_MESSAGES } from './hostile-messages.ts';
import { type HostileRequest, type HostileTarget, http, json } from './hostile-request.ts';

const MEGABYTE = 1_000_000;
const BODY = 1_990_000;
const MAIL = { from: 'ada@sandbox.test', to: 'delivered@sandbox.test', subject: 'Hello', text: 'Hi', dry_run: true };
const UTM = { source: 'newsletter', medium: 'email', campaign: 'spring', override_existing: true };
const BODY_SHAPES = Object.entries(HOSTILE_BODIES);
const LINE_SHAPES = Object.entries(HOSTILE_LINES);

/** All requests, with the kinds mixed in the same order on every run. */
export function hostileRequests(): readonly HostileRequest[] {
  const kinds = [
    ...[anonymous(), jsonBombs(), slowBodies(), wideBatches(), batches(), sends(), templates(), lines(), lists()],
    ...[tools(), mcpCalls(), smtpMessages(), queries(), holds()],
  ];
  const longest = Math.max(...kinds.map(({ length }) => length));
  // Spreads each kind over the whole list.
  return kinds
    .flatMap((kind) => kind.map((request, index) => ({ request, place: ((index + 0.5) * longest) / kind.length })))
    .sort((a, b) => a.place - b.place)
    .map(({ request }) => request);
}

/** Large requests without a key. */
function anonymous(): readonly HostileRequest[] {
  const large = () => `{"text":"${'x'.repeat(40 * MEGABYTE)}"}`;
  const paths = ['/nowhere', '/v1/nowhere', '/emails', '/emails/batch', '/mcp', '/auth/magic-link', '/tools/spf'];
  return [
    ...paths.map((path) => http('anonymous', `40 MB to ${path}`, () => json(path, null, large()))),
    ...paths.map((path) => http('anonymous', `many keys to ${path}`, () => json(path, null, manyKeys(2_000_000)))),
    http('anonymous', 'a false key', () => json('/emails', 'pr_live_nobody', large())),
    http('anonymous', 'a method that no route has', () => ({ ...json('/health', null, large()), method: 'PUT' })),
  ];
}

function jsonBombs(): readonly HostileRequest[] {
  const bombs: Readonly<Record<string, () => string>> = {
    'depth of lists': () => `${'['.repeat(2 * MEGABYTE)}${']'.repeat(2 * MEGABYTE)}`,
    'depth of objects': () => `${'{"a":'.repeat(MEGABYTE)}1${'}'.repeat(MEGABYTE)}`,
    'many elements': () => `{"emails":[${'1,'.repeat(10 * MEGABYTE)}1]}`,
    'many empty objects': () => `{"emails":[${'{},'.repeat(8 * MEGABYTE)}1]}`,
    'many different keys': () => manyKeys(3 * MEGABYTE),
    'one long string': () => `{"text":"${'x'.repeat(39 * MEGABYTE)}"}`,
    'one long string of escapes': () => `{"text":"${'\\u0041'.repeat(6 * MEGABYTE)}"}`,
    'escaped quotes': () => `{"emails":["${'\\"'.repeat(15 * MEGABYTE)}",${'[],'.repeat(70)}1]}`,
    'a long number': () => `{"emails":[${'9'.repeat(20 * MEGABYTE)}]}`,
    'an unfinished string': () => `{"text":"${'x'.repeat(30 * MEGABYTE)}`,
  };
  return Object.entries(bombs).flatMap(([name, make]) =>
    ['/emails', '/emails/batch'].map((path) =>
      http('json', `${name} to ${path}`, ({ key }) => json(path, key, make())),
    ),
  );
}

function manyKeys(count: number): string {
  const parts: string[] = [];
  for (let index = 0; index < count; index++) parts.push(`"${index.toString(36)}":1`);
  return `{${parts.join(',')}}`;
}

/** Connections that start a body and continue one byte at a time. */
function slowBodies(): readonly HostileRequest[] {
  return ['anonymous', 'with a key', 'chunked'].map((name) => ({
    kind: 'slow',
    name,
    prepare: (target) => () => drip(target, name),
  }));
}

async function drip({ port, key }: HostileTarget, name: string): Promise<string> {
  const authorization = name === 'anonymous' ? '' : `Authorization: Bearer ${key}\r\n`;
  const length = name === 'chunked' ? 'Transfer-Encoding: chunked' : 'Content-Length: 4000000';
  const head = `POST /emails HTTP/1.1\r\nHost: x\r\n${authorization}Content-Type: application/json\r\n${length}\r\n\r\n`;
  const sockets = Array.from({ length: 100 }, () => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(head);
    return socket;
  });
  for (let pass = 0; pass < 20; pass++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    for (const socket of sockets) if (!socket.destroyed) socket.write(name === 'chunked' ? '1\r\n \r\n' : ' ');
  }
  for (const socket of sockets) socket.destroy();
  return 'dripped';
}

/** A request that once blocked the server: 19 dry runs of 2 MB in one call. */
function wideBatches(): readonly HostileRequest[] {
  const names = [
    'letters',
    'links without quotes',
    'named reference without end',
    'lists that close',
    'cells',
    'href with quote',
  ];
  return names.map((name) =>
    http('19 dry runs', name, ({ heldKey }) => {
      const html = HOSTILE_BODIES[name]?.(BODY) ?? '';
      return json('/emails/batch', heldKey, { emails: Array(19).fill({ ...MAIL, html, utm: UTM, text: undefined }) });
    }),
  );
}

/** Three dry runs of each hostile shape, in every field that a parser reads. */
function batches(): readonly HostileRequest[] {
  return BODY_SHAPES.map(([name, make]) =>
    http('batch', name, ({ heldKey }) => {
      const html = make(BODY - 20);
      const emails = [
        { ...MAIL, html, text: undefined },
        { ...MAIL, html, utm: UTM },
        { ...MAIL, text: html, utm: UTM },
      ];
      return json('/emails/batch', heldKey, { emails }, { 'idempotency-key': `batch ${name}`.slice(0, 200) });
    }),
  );
}

/** Real sends with shapes that are slow to encode, sign and track. */
function sends(): readonly HostileRequest[] {
  const names = [
    'line breaks',
    'carriage returns',
    'equals signs',
    'surrogate pairs',
    'different links',
    'unsubscribe placeholders',
  ];
  const file = (content: string) => ({ attachments: [{ filename: 'a.bin', content }] });
  return [
    ...names.map((name) =>
      http('send', name, ({ key }) =>
        json('/emails', key, { ...MAIL, dry_run: false, html: HOSTILE_BODIES[name]?.(BODY), text: undefined }),
      ),
    ),
    http('send', 'a large file', ({ key }) =>
      json('/emails', key, { ...MAIL, dry_run: false, ...file('QUJD'.repeat(5 * MEGABYTE)) }),
    ),
    http('send', 'base64 with a blank between all letters', ({ key }) =>
      json('/emails', key, { ...MAIL, ...file('Q U J D '.repeat(4 * MEGABYTE)) }, { 'idempotency-key': 'blanks' }),
    ),
    http('send', 'base64 of line breaks', ({ key }) =>
      json('/emails', key, { ...MAIL, ...file('\n'.repeat(15 * MEGABYTE)) }),
    ),
  ];
}

function templates(): readonly HostileRequest[] {
  const sources: Readonly<Record<string, string>> = {
    'loops in loops': '{% for i in (1..100000) %}{% for j in (1..100000) %}x{% endfor %}{% endfor %}',
    'text that doubles': `{% assign a = "x" %}${'{% assign a = a | append: a %}'.repeat(60)}{{ a }}`,
    'many tags': '{{ a }}'.repeat(250_000),
    'deep blocks': `${'{% if a %}'.repeat(50_000)}${'{% endif %}'.repeat(50_000)}`,
    'open tags': '{{'.repeat(900_000),
    'many filters': `{{ a${' | upcase'.repeat(200_000)} }}`,
    'a date': '{{ "now" | date: "%Y%Y%Y" }}'.repeat(50_000),
    'splits and joins': '{{ b | split: "" | sort | join: "," | size }}'.repeat(1_000),
  };
  return Object.entries(sources).map(([name, html]) =>
    http('template', name, ({ key }) =>
      json('/templates', key, { name: `t ${name}`, slug: name.replaceAll(' ', '-'), subject: 'x', html }),
    ),
  );
}

/** Long lines in every single-line field: at the limit, and far above it. */
function lines(): readonly HostileRequest[] {
  return LINE_SHAPES.flatMap(([name, make]) => {
    const fields = (length: number) => ({
      ...{ ...MAIL, subject: make(length), from: `${make(Math.min(length, 480))} <ada@sandbox.test>` },
      ...{ reply_to: make(length), headers: { 'X-Test': make(length), 'List-Unsubscribe': make(length) } },
      ...{ tags: [make(length)], metadata: { a: make(length) }, agent_name: make(length) },
    });
    return [
      http('line', `${name}, in all that may be`, ({ heldKey }) =>
        json('/emails/batch', heldKey, {
          emails: Array(100).fill({ ...MAIL, subject: make(990), headers: { 'X-Test': make(990) } }),
        }),
      ),
      http('line', `${name}, 500 KB`, ({ key }) => json('/emails', key, fields(500_000))),
    ];
  });
}

function lists(): readonly HostileRequest[] {
  const addresses = (count: number) => Array.from({ length: count }, (_, index) => `user${index}@example.com`);
  const many = (count: number, value: unknown) => Object.fromEntries(addresses(count).map((name) => [name, value]));
  const mails: Readonly<Record<string, () => object>> = {
    '500 recipients in three fields': () => ({ to: addresses(500), cc: addresses(500), bcc: addresses(500) }),
    'a million recipients': () => ({ to: addresses(1_000_000) }),
    'a million tags': () => ({ tags: Array.from({ length: 1_000_000 }, (_, index) => `t${index}`) }),
    'a hundred thousand headers': () => ({ headers: many(100_000, 'x') }),
    'a hundred thousand values': () => ({ metadata: many(100_000, 'x') }),
    'a hundred thousand unknown fields': () => many(100_000, 1),
    'a hundred thousand files': () => ({ attachments: Array(100_000).fill({}) }),
    'a deep value for a template': () => ({ template: 'none', variables: { a: many(20_000, [[[[1]]]]) } }),
  };
  return Object.entries(mails).map(([name, make]) =>
    http('list', name, ({ key }) => json('/emails', key, { ...MAIL, ...make() })),
  );
}

/** The free checks, each with the largest input it accepts. */
function tools(): readonly HostileRequest[] {
  const placement = (name: string, body: object) =>
    http('tool', name, () => json('/tools/inbox-placement', null, body));
  const shapes = ['unclosed double quotes', 'links', 'comments', 'letters', 'spaces'];
  return [
    ...shapes.map((name) =>
      placement(`placement of ${name}`, { from: 'a@b.test', subject: 'x', html: HOSTILE_BODIES[name]?.(60_000) }),
    ),
    ...Object.entries(HOSTILE_MESSAGES).map(([name, make]) => placement(`placement of ${name}`, { raw: make(30_000) })),
    ...['dots', 'hyphens', 'letters', 'percents'].map((name) =>
      http('tool', `spf of ${name}`, () => json('/tools/spf', null, { domain: HOSTILE_LINES[name]?.(60_000) })),
    ),
    http('tool', 'utm of a long address', () =>
      json('/tools/utm', null, { url: `https://a.example/?${'a=1&'.repeat(15_000)}`, ...UTM }),
    ),
  ];
}

function mcpCalls(): readonly HostileRequest[] {
  const headers = { accept: 'application/json, text/event-stream' };
  const call = (id: number, args: unknown) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'send_email', arguments: args },
  });
  const shapes = ['letters', 'links without quotes', 'items without list'];
  return [
    ...shapes.map((name) =>
      http('mcp', `send_email of ${name}`, ({ heldKey }) =>
        json('/mcp', heldKey, call(1, { ...MAIL, html: HOSTILE_BODIES[name]?.(BODY), text: undefined }), headers),
      ),
    ),
    http('mcp', 'a thousand calls', ({ key }) =>
      json(
        '/mcp',
        key,
        Array.from({ length: 1_000 }, (_, id) => call(id, MAIL)),
        headers,
      ),
    ),
    http('mcp', 'a long method', ({ key }) =>
      json('/mcp', key, { jsonrpc: '2.0', id: 1, method: 'x'.repeat(MEGABYTE) }, headers),
    ),
    http('mcp', 'no JSON-RPC', ({ key }) => json('/mcp', key, `[${'{},'.repeat(MEGABYTE)}{}]`, headers)),
  ];
}

function smtpMessages(): readonly HostileRequest[] {
  return Object.entries(HOSTILE_MESSAGES).map(([name, make]) => ({
    kind: 'smtp',
    name,
    prepare: (target) => {
      const raw = make((name.endsWith('parts') ? 24 : 4) * MEGABYTE);
      return () => submit(target, raw);
    },
  }));
}

async function submit({ smtpsPort, key }: HostileTarget, raw: string): Promise<string> {
  if (smtpsPort === null) return 'closed';
  const transport = createTransport({
    ...{ host: '127.0.0.1', port: smtpsPort, secure: true, tls: { rejectUnauthorized: false } },
    auth: { user: 'postrider', pass: key },
  });
  const envelope = { from: 'ada@sandbox.test', to: ['delivered@sandbox.test'] };
  try {
    return (await transport.sendMail({ envelope, raw })).response.slice(0, 3);
  } catch (error) {
    return String((error as { responseCode?: number }).responseCode ?? error);
  } finally {
    transport.close();
  }
}

function queries(): readonly HostileRequest[] {
  const texts = [
    encodeURIComponent('%'.repeat(200)),
    '_'.repeat(200),
    encodeURIComponent('a '.repeat(100)),
    'a'.repeat(6_000),
  ];
  const paths = ['/emails?search=', '/emails?cursor=', '/suppressions?search=', '/emails/', '/templates/'];
  return texts.flatMap((text, index) =>
    paths.map((path) =>
      http('query', `${path} ${index}`, ({ key }) => ({
        path: path + text,
        key,
        method: 'GET',
        headers: {},
        body: null,
      })),
    ),
  );
}

import { once } from 'node:events';
import { request } from 'node:http';
import { LIMITS } from '@postrider/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportFileName } from '../../../packages/server/src/operations/emails/export-file-name.ts';
import { createExportLimit } from '../../../packages/server/src/operations/emails/export-limit.ts';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { seededRandom } from '../../harness/seeded-random.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { addMessages } from './added-messages.ts';
import { csvLines } from './csv-lines.ts';
import { parseCsv } from './parse-csv.ts';

const PIECES = [
  '=',
  '+',
  '-',
  '@',
  '＝',
  '﹣',
  "'",
  '"',
  ',',
  ';',
  '|',
  '\t',
  '\r',
  '\n',
  ' ',
  '\u200b',
  'x',
  '1',
] as const;

/** As docs/searching.md says. */
function stored(cell: string): string {
  return cell
    .replace(/^'(?='*[\t\r\n])/, '')
    .replace(
      /(^|[,;|\t\r\n])([ "\v\f\u00a0\u1680\u2000-\u200f\u2028\u2029\u202f\u205f\u2060\u3000\ufeff]*)'(?='*[=+\-@＝＋－＠﹦﹢﹣﹫])/g,
      '$1$2',
    );
}

const HEADER = ['id', 'created_at', 'from', 'to', 'subject', 'status', 'channel', 'source', 'agent_name', 'tags'];

interface Exported {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

describe('GET /emails/export', () => {
  let server: TestApp;
  let key: string;
  const ids: string[] = [];
  beforeAll(async () => {
    server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
    ({ key } = await server.newAccount('Fräulein & Söhne GmbH'));
    const bodies = [
      { subject: 'Plain' },
      { subject: 'Say "hi", twice', to: ['a@sandbox.test', 'b@sandbox.test'], tags: ['one', 'two'] },
      { subject: '=HYPERLINK("http://evil.test")', tags: ['=1+1', '-x'], source: 'agent', agent_name: '@SUM(A1)' },
      { subject: '+49 30', to: '-2+3@sandbox.test', from: '=1 <ada@sandbox.test>' },
    ];
    for (const body of bodies) ids.push((await server.send(body, { key })).body.id);
  });
  afterAll(() => server.close());

  async function download(query = '', withKey = key): Promise<Exported> {
    const response = await fetch(`${server.baseUrl}/emails/export${query}`, {
      headers: { authorization: `Bearer ${withKey}` },
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  it('returns CSV by default: a header and a line for each message, newest first', {
    tags: [
      'emails-export.default-format',
      'emails-export.csv-type',
      'emails-export.format',
      'contract-shape.casing-export',
      'service.log-export',
      'export-row.columns',
    ],
  }, async () => {
    const { status, headers, text } = await download();
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(text.split('\n')[0]).toBe(HEADER.join(','));
    expect(text.endsWith('\n')).toBe(true);
    const [head, ...rows] = parseCsv(text);
    expect(head).toEqual(HEADER);
    expect(rows.map(([id]) => id)).toEqual([...ids].reverse());
    const record = (await server.call('GET', `/emails/${ids[0]}`, { key })).body;
    expect(rows[3]).toEqual([
      ids[0],
      record.createdAt,
      'Ada <ada@sandbox.test>',
      'delivered@sandbox.test',
      'Plain',
      'queued',
      'api',
      'backend',
      '',
      '',
    ]);
    expect((await download('?format=csv')).text).toBe(text);
  });

  it('quotes cells by RFC 4180 and joins tags by semicolons', {
    tags: ['contract-message-log.export-formats'],
  }, async () => {
    const { text } = await download('?q=say');
    expect(text).toContain('"a@sandbox.test, b@sandbox.test","Say ""hi"", twice",queued');
    expect(parseCsv(text)[1]?.slice(3)).toEqual([
      'a@sandbox.test, b@sandbox.test',
      'Say "hi", twice',
      'queued',
      'api',
      'backend',
      '',
      'one;two',
    ]);
  });

  it('escapes every cell that a spreadsheet would run as a formula, in CSV alone', {
    tags: ['contract-message-log.export-formulas'],
  }, async () => {
    const rows = parseCsv((await download()).text);
    const [, newest, third] = rows;
    expect(newest?.slice(2, 5)).toEqual(["'=1 <ada@sandbox.test>", "'-2+3@sandbox.test", "'+49 30"]);
    expect(third?.[4]).toBe('\'=HYPERLINK("http://evil.test")');
    expect(third?.[8]).toBe("'@SUM(A1)");
    expect(third?.[9]).toBe("'=1+1;'-x");
    for (const cell of rows.slice(1).flat()) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
    const [json] = JSON.parse((await download('?format=json&q=hyperlink')).text);
    expect([json.subject, json.agent_name, json.tags]).toEqual([
      '=HYPERLINK("http://evil.test")',
      '@SUM(A1)',
      ['=1+1', '-x'],
    ]);
  });

  it.each([
    ['after a semicolon', 'Hi;=1+1', "Hi;'=1+1"],
    ['after a comma', 'Hi,=1+1', "Hi,'=1+1"],
    ['after a tab', 'Hi\t=1+1', "Hi\t'=1+1"],
    ['after a bar', 'Hi|@SUM(A1)', "Hi|'@SUM(A1)"],
    ['after a line break', 'Hi\r\n-1', "Hi\r\n'-1"],
    ['after a quote that a split leaves open', 'Hi;"=1+1"', 'Hi;"\'=1+1"'],
    ['after spaces and invisible characters', 'Hi; \u200b\ufeff=1', "Hi; \u200b\ufeff'=1"],
    ['in its wide and small forms', '＝1;﹢2', "'＝1;'﹢2"],
    ['at the start, after spaces', '  =1+1', "  '=1+1"],
    ['after an apostrophe that belongs to the text', "'=1", "''=1"],
    ['with a tab or a line break at the start', '\t1', "'\t1"],
    ['nowhere', 'Hi = you; me-too @ 5|x', 'Hi = you; me-too @ 5|x'],
  ])(
    'escapes what could be a formula %s, quotes it, and can be undone',
    { tags: ['holes.csv-formulas'] },
    (_where, text, shown) => {
      const line = csvLines(['id', text, 'end']);
      const [cells] = parseCsv(`${line}\n`);
      expect(cells).toEqual(['id', shown, 'end']);
      expect(stored(shown)).toBe(text);
      // Cells that any setting of a spreadsheet could split are quoted.
      if (/[;|\t]/.test(text)) expect(line).toBe(`id,"${shown.replaceAll('"', '""')}",end`);
    },
  );

  it('starts no formula under any separator, and restores every cell exactly, whatever it contains', {
    tags: ['holes.csv-formulas'],
  }, () => {
    const random = seededRandom('cells');
    for (let round = 0; round < 5_000; round += 1) {
      const pieces = Array.from({ length: random.integer(0, 8) }, () => random.pick(PIECES));
      const text = pieces.join('');
      const line = csvLines(['id', text, 'end']);
      expect(stored(parseCsv(`${line}\n`)[0]?.[1] ?? '')).toBe(text);
      for (const separator of [',', ';', '\t', '|']) {
        const starts = line.split(new RegExp(`[\r\n]|[${separator}]`)).map((cell) => cell.replace(/^[\s"\u200b]+/, ''));
        expect(
          starts.filter((cell) => /^[=+\-@＝﹣]/.test(cell)),
          JSON.stringify(text),
        ).toEqual([]);
      }
    }
  });

  it('returns JSON as one array and NDJSON as an object a line, with the names of the columns', {
    tags: ['emails-export.json-types', 'export-row.json-fields'],
  }, async () => {
    const json = await download('?format=json');
    expect(json.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const rows = JSON.parse(json.text);
    expect(rows.map(({ id }: { id: string }) => id)).toEqual([...ids].reverse());
    expect(Object.keys(rows[0])).toEqual(HEADER);
    const record = (await server.call('GET', `/emails/${ids[1]}`, { key })).body;
    expect(rows[2]).toEqual({
      id: ids[1],
      created_at: record.createdAt,
      from: 'Ada <ada@sandbox.test>',
      to: 'a@sandbox.test, b@sandbox.test',
      subject: 'Say "hi", twice',
      status: 'queued',
      channel: 'api',
      source: 'backend',
      agent_name: null,
      tags: ['one', 'two'],
    });
    const lines = await download('?format=jsonl');
    expect(lines.headers.get('content-type')).toBe('application/x-ndjson');
    expect(
      lines.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(rows);
  });

  it('names the file after the account, the day and the format', {
    tags: ['emails-export.csv-file-name', 'contract-message-log.export-file-name'],
  }, async () => {
    for (const format of ['csv', 'json', 'jsonl'] as const) {
      const { headers } = await download(`?format=${format}`);
      const date = server.clock.now().toISOString().slice(0, 10);
      expect(headers.get('content-disposition')).toBe(
        `attachment; filename="fraulein-sohne-gmbh-messages-${date}.${format}"`,
      );
    }
    const at = new Date('2026-01-31T23:59:59.999Z');
    expect(exportFileName('日本', at, 'csv')).toBe('account-messages-2026-01-31.csv');
    expect(exportFileName('a"\r\nb/../c', at, 'json')).toBe('a-b-c-messages-2026-01-31.json');
  });

  it('accepts every filter of the list, and time bounds', {
    tags: ['emails-export.filters', 'emails-export.window', 'contract-message-log.filters-export'],
  }, async () => {
    const count = async (query: string) => parseCsv((await download(query)).text).length - 1;
    expect(await count('?tag=one&tag=TWO')).toBe(1);
    expect(await count('?source=agent')).toBe(1);
    expect(await count('?recipient=B@sandbox.test')).toBe(1);
    expect(await count('?status=queued&channel=api&domain=sandbox.test')).toBe(4);
    expect(await count('?status=delivered')).toBe(0);
    expect(await count('?agent_name=nobody')).toBe(0);
    const created = (await server.call('GET', `/emails/${ids[2]}`, { key })).body.createdAt;
    expect(await count(`?from=${created}`)).toBe(2);
    expect(await count(`?to=${created}&q=plain`)).toBe(1);
    expectInvalid(await server.call('GET', '/emails/export?format=xml', { key }), ['format', 'invalid_value']);
    expectInvalid(await server.call('GET', '/emails/export?limit=5', { key }), ['limit', 'unknown_field']);
    expectInvalid(await server.call('GET', '/emails/export?cursor=x', { key }), ['cursor', 'unknown_field']);
    expectInvalid(await server.call('GET', '/emails/export?from=soon', { key }), ['from', 'invalid_format']);
  });

  it('returns a complete file even when nothing matches', async () => {
    expect((await download('?tag=none')).text).toBe(`${HEADER.join(',')}\n`);
    expect((await download('?tag=none&format=json')).text).toBe('[]\n');
    expect((await download('?tag=none&format=jsonl')).text).toBe('');
    const other = await server.newAccount();
    expect(JSON.parse((await download('?format=json', other.key)).text)).toEqual([]);
  });

  it('needs emails:read, and is served under /v1 as well', async () => {
    const weak = await server.newKey({ scopes: ['emails:send'] });
    expectProblem(await server.call('GET', '/emails/export', { key: weak }), 403, 'missing_scope');
    expectProblem(await server.call('GET', '/emails/export', { key: null }), 401, 'missing_key');
    const prefixed = await fetch(`${server.baseUrl}/v1/emails/export?format=json`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(await prefixed.json()).toHaveLength(4);
  });

  it('mixes no accounts, and never runs a filter as SQL', async () => {
    const other = await server.newAccount();
    for (const query of ['', '?q=plain', '?tag=one', '?status=queued', '?domain=sandbox.test'])
      expect(parseCsv((await download(query, other.key)).text)).toHaveLength(1);
    const attack = encodeURIComponent("' OR '1'='1");
    expect(parseCsv((await download(`?q=${attack}`)).text)).toHaveLength(1);
    expect(parseCsv((await download(`?agent_name=${attack}`)).text)).toHaveLength(1);
  });

  describe('of a log that is larger than one file', () => {
    let large: { readonly accountId: string; readonly key: string };
    let added: readonly string[];
    beforeAll(async () => {
      large = await server.newAccount();
      added = await addMessages(server.database.sql, large.accountId, LIMITS.exportRows + 1);
    }, 60_000);

    it('contains the newest 100,000 rows and says that there are more', {
      tags: ['limits.export-rows', 'contract-message-log.export-truncated', 'emails-export.streamed'],
      timeout: 30_000,
    }, async () => {
      const { headers, text } = await download('?format=jsonl', large.key);
      expect(headers.get('x-export-truncated')).toBe('true');
      const lines = text.trimEnd().split('\n');
      expect(lines).toHaveLength(LIMITS.exportRows);
      expect(lines.map((line) => line.slice(7, 43))).toEqual(added.slice(1).reverse());
    });

    it('contains 100,000 rows and says nothing when there are no more', async () => {
      const created = await server.database.sql<{ at: Date }[]>`
        SELECT created_at AS at FROM messages WHERE account_id = ${large.accountId} ORDER BY id OFFSET 1 LIMIT 1`;
      const { headers, text } = await download(`?from=${created[0]?.at.toISOString()}`, large.key);
      expect(headers.get('x-export-truncated')).toBeNull();
      expect(text.trimEnd().split('\n')).toHaveLength(LIMITS.exportRows + 1);
    }, 30_000);

    it('does the same for the results of a search', async () => {
      const { headers, text } = await download('?format=jsonl&channel=api', large.key);
      expect(headers.get('x-export-truncated')).toBe('true');
      const lines = text.trimEnd().split('\n');
      expect(lines.map((line) => line.slice(7, 43))).toEqual(added.slice(1).reverse());
    }, 30_000);

    it('stops as soon as the reader disconnects, and limits parallel exports of an account', async () => {
      const open = async () => {
        const call = request(`${server.baseUrl}/emails/export`, { headers: { authorization: `Bearer ${large.key}` } });
        call.on('error', () => undefined);
        call.end();
        const [response] = await once(call, 'response');
        await once(response, 'readable');
        return { status: response.statusCode, leave: () => call.destroy() };
      };
      const opened = [];
      for (let n = 0; n < LIMITS.exportsAtOnce; n += 1) opened.push(await open());
      expect(opened.map(({ status }) => status)).toEqual(opened.map(() => 200));
      const refused = await server.call('GET', '/emails/export', { key: large.key });
      expectProblem(refused, 429, 'rate_limited');
      expect(refused.headers.get('retry-after')).toBe('5');
      // Everyone else continues meanwhile.
      expect((await server.call('GET', '/emails?limit=1', { key: large.key })).status).toBe(200);
      expect((await download('?tag=none')).status).toBe(200);
      for (const { leave } of opened) leave();
      await expect
        .poll(async () => (await download('?tag=none', large.key)).status, { timeout: 5_000, interval: 20 })
        .toBe(200);
    }, 30_000);

    it('is visibly incomplete when the database fails on the way', async () => {
      const call = request(`${server.baseUrl}/emails/export?format=json`, {
        headers: { authorization: `Bearer ${large.key}` },
      });
      call.on('error', () => undefined);
      call.end();
      const [response] = await once(call, 'response');
      await once(response, 'readable');
      // Once the pipe is full the server waits; whatever it asks the database for then is refused.
      await server.database.sql`ALTER TABLE messages RENAME COLUMN subject TO renamed`;
      try {
        const fault = once(response, 'error').then(([error]) => error as Error);
        response.resume();
        expect((await fault).message).toBe('aborted');
      } finally {
        await server.database.sql`ALTER TABLE messages RENAME COLUMN renamed TO subject`;
      }
    }, 30_000);
  });
});

describe('a line of CSV', () => {
  const row = ([id = '', at = '', ...texts]: readonly string[]) => [
    id,
    at,
    ...(parseCsv(`${csvLines(texts)}\n`)[0] ?? []),
  ];

  it('has an apostrophe before every cell that starts like a formula', () => {
    const harmless = ["'x", 'x=1', 'x-1', '', '1', 'a, b', '"1"'];
    const formulas = ['\tx', '\rx', '\nx', '＝x', '＋x', '－x', '＠x', '-', '=', '+1', '@a', '=1,2', '="x"', '=a\nb'];
    for (const value of [...harmless, ...formulas]) {
      const expected = formulas.includes(value) ? `'${value}` : value;
      for (const place of [2, 3, 4, 8]) {
        const cells = Array.from({ length: 10 }, (_, index) => (index === place ? value : 'x'));
        expect(row(cells)[place]).toBe(expected);
      }
    }
  });

  it('escapes after what separates cells elsewhere, in tags and in other cells', () => {
    const cells = ['id', 'at', 'from', 'to', 'a;=b', 'sent', 'api', 'agent', '', '=a;b;@c;d-e'];
    expect(row(cells).slice(4)).toEqual(["a;'=b", 'sent', 'api', 'agent', '', "'=a;b;'@c;d-e"]);
  });

  it('keeps the content of a cell, whatever separates cells and lines elsewhere', () => {
    const cells = ['id', 'at', 'a, "b"', 'c\r\nd', '"', ',', '\n', 'x', ';', ''];
    expect(row(cells)).toEqual(cells.map((cell) => (cell === '\n' ? "'\n" : cell)));
  });
});

describe('the limit of concurrent exports', () => {
  it('counts each account separately, and a release once', () => {
    const exportLimit = createExportLimit(2);
    const first = exportLimit.tryAcquire('a');
    expect(exportLimit.tryAcquire('a')).not.toBeNull();
    expect(exportLimit.tryAcquire('a')).toBeNull();
    expect(exportLimit.tryAcquire('b')).not.toBeNull();
    first?.();
    first?.();
    expect(exportLimit.tryAcquire('a')).not.toBeNull();
    expect(exportLimit.tryAcquire('a')).toBeNull();
  });
});

import { describe, expect, it } from 'vitest';
import { ID, sampleAttempt, sampleEvent, sampleMessage, sampleRecord } from '../mcp/sample-messages.ts';
import { problem, type Reply } from '../sdk/scripted-server.ts';
import { runAgainst } from './run-in-process.ts';

const PLAIN = { NO_COLOR: '1' };

function page(messages: readonly object[], nextCursor: string | null = null): Reply {
  return { status: 200, body: { messages, total: 1_234, totalIsEstimate: false, nextCursor } };
}

describe('a view', () => {
  it('belongs to a record, whichever operation returns it', async () => {
    const template = {
      status: 200,
      body: { id: 'x', slug: 'welcome', version: 2, currentVersion: 2, html: '<p>Hi</p>' },
    };
    for (const words of ['get', 'publish']) {
      const { stdout } = await runAgainst([template], ['templates', words, 'welcome', '--no-color'], { columns: 80 });
      expect(stdout).toContain('HTML\n  <p>Hi</p>');
    }
  });
});

describe('--json', () => {
  it('prints exactly what the API returned, as one document with a newline at its end', {
    tags: ['contract-cli.json'],
  }, async () => {
    const answer = {
      messages: [sampleRecord()],
      total: 1,
      totalIsEstimate: false,
      nextCursor: null,
      later: { field: [1] },
    };
    const { stdout, stderr } = await runAgainst([{ status: 200, body: answer }], ['emails', 'list', '--json'], {
      columns: 80,
    });
    expect(JSON.parse(stdout)).toEqual(answer);
    expect(stdout.endsWith('}\n')).toBe(true);
    expect(stderr).toBe('');
  });

  it('is the default when stdout is not a terminal', async () => {
    const { stdout } = await runAgainst([page([sampleRecord()])], ['emails', 'list']);
    expect(JSON.parse(stdout)).toMatchObject({ messages: [{ id: ID }] });
    expect(stdout.split('\n')).toHaveLength(2);
  });

  it.each([[['--no-json']], [['--output', 'table']]])('is undone by %j', async (flags) => {
    const { stdout } = await runAgainst([page([sampleRecord()])], ['emails', 'list', ...flags]);
    expect(stdout).toMatch(/^ID +STATUS +TO +SUBJECT/);
  });

  it('prints an error as the API wrote it, on stderr, and leaves stdout empty', async () => {
    const refusal = problem(409, 'message_not_queued', { currentStatus: 'sent' });
    const { stdout, stderr } = await runAgainst([refusal], ['emails', 'get', ID, '--json'], { columns: 80 });
    expect(stdout).toBe('');
    expect(JSON.parse(stderr)).toEqual((refusal as { body: object }).body);
  });

  it('writes no control character to the terminal, and keeps the value', async () => {
    const subject = '\u001b]0;owned\u0007\u009b31mHi\u202e\u2028';
    const { stdout } = await runAgainst([page([sampleRecord({ subject })])], ['emails', 'list', '--json'], {
      columns: 80,
    });
    expect(JSON.parse(stdout).messages[0].subject).toBe(subject);
    expect(visibleControls(stdout)).toEqual([]);
  });
});

describe('the table of emails', () => {
  const rows = [
    sampleRecord({
      subject: 'A long subject line that a narrow terminal cannot show in one row at all',
      to: 'ada@example.org',
    }),
    sampleRecord({
      subject: '日本語の件名です、とても長い',
      to: 'someone-with-a-long-address@subdomain.example.org',
      status: 'bounced',
    }),
  ];

  it.each([60, 72, 80, 100, 120, 200])('fits a terminal of %i columns', async (columns) => {
    const { stdout } = await runAgainst([page(rows)], ['emails', 'list'], { columns, env: PLAIN });
    expect(stdout.split('\n').filter((line) => columnsOf(line) > columns)).toEqual([]);
    // The start of an id is what commands accept in its place.
    expect(stdout.match(new RegExp(`^${ID.slice(0, 13)}`, 'gm'))).toHaveLength(2);
    expect(stdout).toMatch(/^ID +STATUS +TO +SUBJECT/);
  });

  it('counts a terminal that reports no width as 80 columns wide', async () => {
    const list = async (columns: number) =>
      (await runAgainst([page(rows)], ['emails', 'list'], { columns, env: PLAIN })).stdout;
    expect(await list(0)).toBe(await list(80));
  });

  it('shortens ids to what distinguishes them if the whole ones do not fit', async () => {
    const ids = ['01980d3c-0000-7000-8000-000000000001', '01980d3c-0000-7001-8000-000000000002'];
    const messages = ids.map((id) => sampleRecord({ id, subject: 'x'.repeat(80) }));
    const list = async (columns: number) =>
      (await runAgainst([page(messages)], ['emails', 'list'], { columns, env: PLAIN })).stdout.split('\n').slice(1, 3);
    expect((await list(60)).map((row) => row.split(' ')[0])).toEqual(['01980d3c-0000-7000', '01980d3c-0000-7001']);
    expect((await list(200)).map((row) => row.split(' ')[0])).toEqual(ids);
  });

  it('is aligned, and shows that something was cut', async () => {
    const { stdout } = await runAgainst([page(rows)], ['emails', 'list'], { columns: 120, env: PLAIN });
    const [title = '', first = '', second = ''] = stdout.split('\n');
    expect(title).toMatch(/^ID {13}STATUS {5}TO +SUBJECT +CREATED \(UTC\)$/);
    expect(first).toContain('…');
    expect(columnsOf(first.slice(0, first.indexOf('2026-01-31 09:00')))).toBe(
      columnsOf(second.slice(0, second.indexOf('2026-01-31'))),
    );
  });

  it('is not cut in a pipe', async () => {
    const { stdout } = await runAgainst([page(rows)], ['emails', 'list', '--no-json']);
    expect(stdout).toContain(rows[0]?.subject);
  });

  it('says on stderr how to get the next page', async () => {
    const { stdout, stderr } = await runAgainst([page(rows, 'abc123')], ['emails', 'list'], { columns: 80 });
    expect(stdout).not.toContain('abc123');
    expect(stderr).toBe('2 of 1,234 emails.\nFor the next page, add --cursor abc123\n');
  });

  it('is empty when there are none', async () => {
    const none = { status: 200, body: { messages: [], total: 0, totalIsEstimate: false, nextCursor: null } };
    const { code, stdout, stderr } = await runAgainst([none], ['emails', 'list'], { columns: 80 });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: 'No emails.\n' });
  });

  it('requests what the flags say', async () => {
    const { received } = await runAgainst(
      [page([])],
      ['emails', 'list', '--status', 'bounced', '--limit', '20', '--cursor', 'a b'],
    );
    expect(received[0]?.url).toBe('/emails?status=bounced&limit=20&cursor=a+b');
  });
});

describe('the sheet of an email', () => {
  const message = sampleMessage({
    subject: 'Hello Ada',
    cc: ['c@example.org'],
    text: 'Line one\n\nLine two\n',
    lastError: '550 no such user',
    events: [
      sampleEvent({ seq: 1, type: 'queued', recipient: null }),
      sampleEvent({ seq: 2, type: 'bounced', classification: 'hard', detail: '550 no such user' }),
    ],
  });

  it('shows what it is, its recipients, its events and its text', async () => {
    const { stdout } = await runAgainst([{ status: 200, body: message }], ['emails', 'get', ID], {
      columns: 80,
      env: PLAIN,
    });
    expect(stdout).toMatch(/^id +01980d3c/);
    expect(stdout).toMatch(/^cc +c@example\.org$/m);
    expect(stdout).toMatch(/^last error +550 no such user$/m);
    expect(stdout).toMatch(/^ {2}to {2}delivered {2}ada@example\.org$/m);
    expect(stdout).toMatch(/^ {2}2026-01-31 09:00:00 UTC {2}bounced {2}hard {2}ada@example\.org {2}550 no such user$/m);
    expect(stdout).toContain('\nText\n  Line one\n\n  Line two\n');
  });

  it('shows each line of a reply of several lines, as received', async () => {
    const detail = '550-5.1.1 The account does not exist.\n550 5.1.1 See https://mx.example/help';
    const bounced = sampleMessage({
      ...{ status: 'bounced', lastError: `ada@example.org: ${detail}` },
      events: [sampleEvent({ type: 'bounced', classification: 'hard', detail })],
    });
    const { stdout } = await runAgainst([{ status: 200, body: bounced }], ['emails', 'get', ID], {
      columns: 80,
      env: PLAIN,
    });
    expect(stdout).toMatch(
      /^last error +ada@example\.org: 550-5\.1\.1 The account does not exist\.\n +550 5\.1\.1 See https:\/\/mx\.example\/help$/m,
    );
    expect(stdout).toMatch(
      /bounced {2}hard {2}ada@example\.org\n +550-5\.1\.1 The account does not exist\.\n +550 5\.1\.1 See https:\/\/mx\.example\/help$/m,
    );
    const accepted = { status: 202, body: { id: ID, status: 'queued' } };
    const sent = await runAgainst(
      [accepted, { status: 200, body: bounced }],
      ['send', '--from', 'a@example.com', '--to', 'b@example.com', '--subject', 'Hi', '--text', 'Hi', '--wait', '5'],
      { columns: 80, env: PLAIN },
    );
    expect(sent.stdout).toMatch(/^reason +hard {2}ada@example\.org\n +550-5\.1\.1 The account .*\n +550 5\.1\.1 See /m);
  });

  it('shows each attempt on one line, and the conversation of the newest failure', async () => {
    const said = (line: string) => [
      { from: 'client' as const, line: 'RCPT TO:<ada@example.org>' },
      { from: 'server' as const, line },
    ];
    const deferred = { outcome: 'deferred' as const, reply: '450 Busy', conversation: said('450 Busy\u001b[31m') };
    const attempts = [
      sampleAttempt({ ...deferred, tls: null, connectionReused: false }),
      sampleAttempt({ number: 2, conversation: said('250 Fine') }),
      sampleAttempt({ number: 3, transport: 'capture', server: null, tls: null, conversation: null, reply: null }),
    ];
    const response = { status: 200, body: sampleMessage({ attempts }) };
    const options = { columns: 200, env: PLAIN };
    const { stdout } = await runAgainst([response], ['emails', 'get', ID], options);
    const line = (outcome: string, facts: string) => `  2026-01-31 09:00:00 UTC  ${outcome}  ${facts}`;
    const where = 'mx.example.org [192.0.2.1]:25  ada@example.org';
    expect(stdout).toContain(
      [
        '\nAttempts',
        line('deferred', `#1  ${where}  no TLS  42 ms  450 Busy`),
        `${' '.repeat(37)}C: RCPT TO:<ada@example.org>`,
        `${' '.repeat(37)}S: 450 Busy`,
        line('accepted', `#2  ${where}  TLSv1.3 (verified)  reused connection  42 ms  250 OK`),
        line('accepted', '#3  captured  ada@example.org  reused connection  42 ms'),
      ].join('\n'),
    );
    expect(stdout).not.toContain('\u001b');
    const all = await runAgainst([response], ['emails', 'get', ID, '--conversations'], options);
    expect(all.stdout).toContain('S: 250 Fine');
  });

  it('says why the content is missing when the key may not see it', async () => {
    const redacted = { ...message, html: null, text: null, headers: null, attachments: null, contentRedacted: true };
    const { stdout, stderr } = await runAgainst([{ status: 200, body: redacted }], ['emails', 'get', ID], {
      columns: 80,
    });
    expect(stdout).not.toContain('Text');
    expect(stderr).toContain('emails:content');
  });

  it('waits as long as the flag says', async () => {
    const { received } = await runAgainst([{ status: 200, body: message }], ['emails', 'get', ID, '--wait', '30']);
    expect(received[0]?.url).toBe(`/emails/${ID}?wait=30`);
  });

  it('requests the id as one segment of the path, whatever it contains', async () => {
    const { received } = await runAgainst([{ status: 200, body: message }], ['emails', 'get', 'a/../b?c=d#e']);
    expect(received[0]?.url).toBe('/emails/a%2F..%2Fb%3Fc%3Dd%23e');
  });
});

describe('text of third parties', () => {
  const hostile = '\u001b[2J\u001b]52;c;ZXZpbA==\u0007\u009d8;;http://x\u009c\u0007\r\n\u202eOK\u2028';

  it.each([
    ['emails list', page([sampleRecord({ subject: hostile, to: hostile, from: hostile })])],
    [
      'emails get x',
      {
        status: 200,
        body: sampleMessage({
          subject: hostile,
          text: hostile,
          lastError: hostile,
          metadata: { [hostile]: hostile },
          events: [sampleEvent({ detail: hostile })],
        }),
      },
    ],
    ['whoami', { status: 200, body: { name: hostile, account: { id: hostile, name: hostile } } }],
    ['requests get x', { status: 200, body: { id: 'r', [hostile]: { path: hostile } } }],
    [
      'requests list',
      { status: 200, body: { requests: [{ id: hostile, path: hostile }], total: 1, nextCursor: hostile } },
    ],
    [
      'whoami',
      problem(403, 'missing_scope', {
        detail: hostile,
        fix: hostile,
        errors: [{ path: hostile, code: 'x', message: hostile }],
      }),
    ],
  ] satisfies [string, Reply][])('writes no escape sequence to the terminal: %s', async (command, reply) => {
    const { stdout, stderr } = await runAgainst([reply], command.split(' '), { columns: 80, env: PLAIN });
    expect(visibleControls(stdout + stderr)).toEqual([]);
    expect(stdout + stderr).toContain('OK');
  });
});

describe('other responses', () => {
  it('show the calling key', async () => {
    const key = {
      id: ID,
      name: 'Shop',
      mode: 'live',
      prefix: 'pr_live_',
      last4: 'wxyz',
      scopes: ['emails:send', 'emails:read'],
      recipientAllowlist: null,
      persona: { agentName: 'bot', source: 'agent' },
      createdAt: '2026-01-01T00:00:00.000Z',
      lastUsedAt: null,
      expiresAt: null,
      revokedAt: null,
      account: { id: 'a1', name: 'Acme' },
      quota: { limit: 100_000, used: 1, remaining: 99_999, resetsAt: '2026-02-01T00:00:00.000Z' },
    };
    const { stdout } = await runAgainst([{ status: 200, body: key }], ['whoami'], { columns: 100, env: PLAIN });
    expect(stdout).toMatch(/^key +Shop \(pr_live_…wxyz, live\)$/m);
    expect(stdout).toMatch(/^quota +99,999 of 100,000 recipients left this month; resets 2026-02-01 00:00:00 UTC$/m);
    expect(stdout).toMatch(/^recipients +any$/m);
    expect(stdout).not.toContain('revoked');
  });

  it('show a record without its own view as a sheet', async () => {
    const { stdout } = await runAgainst(
      [{ status: 200, body: { id: 'r1', code: null, inner: { a: [1, 2] } } }],
      ['requests', 'get', 'r1'],
      { columns: 80, env: PLAIN },
    );
    expect(stdout).toBe('id       r1\ninner.a  1, 2\n');
  });

  it('show the request log', async () => {
    const request = {
      id: 'r1',
      method: 'POST',
      path: '/emails',
      status: 422,
      code: 'validation_failed',
      durationMs: 12,
      createdAt: '2026-01-31T09:00:00.000Z',
    };
    const body = { requests: [request], total: 1, totalIsEstimate: false, nextCursor: null };
    const { stdout } = await runAgainst([{ status: 200, body }], ['requests', 'list'], { columns: 120, env: PLAIN });
    expect(stdout).toMatch(/r1 +422 +POST +\/emails +validation_failed +12 +2026-01-31 09:00/);
  });
});

describe('a narrow terminal', () => {
  const text = 'A reply of several words, which is too long for a row of a terminal that is sixty columns wide.';

  it('wraps sheets, bodies, remarks and errors between words', async () => {
    const message = sampleMessage({ subject: text, text, lastError: text, events: [sampleEvent({ detail: text })] });
    const redacted = { ...message, contentRedacted: true };
    const runs = [
      await runAgainst([{ status: 200, body: redacted }], ['emails', 'get', ID], { columns: 60, env: PLAIN }),
      await runAgainst([problem(422, 'x', { detail: text, fix: text })], ['whoami'], { columns: 60, env: PLAIN }),
    ];
    const lines = runs.flatMap(({ stdout, stderr }) => `${stdout}${stderr}`.split('\n'));
    expect(lines.filter((line) => columnsOf(line) > 60)).toEqual([]);
    const words = lines.join(' ').replaceAll(/ +/g, ' ');
    expect(words.split(text)).toHaveLength(7);
  });
});

describe('an error at a terminal', () => {
  it('says what is wrong, where, what to do, and which request it was', async () => {
    const refusal = problem(422, 'recipient_suppressed', {
      errors: [{ path: 'to.0', code: 'invalid_email', message: 'has no `@`' }],
      recipients: [{ email: 'ada@example.org', kind: 'to', code: 'recipient_suppressed' }],
    });
    const { stderr } = await runAgainst([refusal], ['whoami'], { columns: 80 });
    expect(stderr).toBe(
      [
        'Error: It is recipient_suppressed. (recipient_suppressed, 422)',
        '  to.0: has no `@` (invalid_email)',
        '  to ada@example.org: recipient_suppressed',
        'Fix: Mend it.',
        'Request: req-1',
        '',
      ].join('\n'),
    );
  });
});

describe('color', () => {
  const reply = page([sampleRecord()]);
  const list = ['emails', 'list'];

  it('is used at a terminal', async () => {
    expect((await runAgainst([reply], list, { columns: 80 })).stdout).toContain('\u001b[32mdelivered');
  });

  it('is off with --no-color, with NO_COLOR, at a dumb terminal and in a pipe', async () => {
    const runs = await Promise.all([
      runAgainst([reply], [...list, '--no-color'], { columns: 80 }),
      runAgainst([reply], ['--no-color', ...list], { columns: 80 }),
      runAgainst([reply], list, { columns: 80, env: PLAIN }),
      runAgainst([reply], list, { columns: 80, env: { TERM: 'dumb' } }),
      runAgainst([reply], [...list, '--no-json']),
    ]);
    expect(runs.filter(({ stdout }) => stdout.includes('\u001b') || !stdout.includes('delivered'))).toEqual([]);
  });
});

/** Every control character but the line feed, and every mark that changes direction or line, as its code point. */
function visibleControls(text: string): string[] {
  const controls = [...text].filter((character) =>
    /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(character),
  );
  return controls.filter((character) => character !== '\n').map((character) => character.charCodeAt(0).toString(16));
}

/** Columns as a terminal counts them, for the letters of these tests. */
function columnsOf(line: string): number {
  return [...line].reduce((sum, character) => sum + (/[\u3000-\u9fff\uff00-\uff60]/.test(character) ? 2 : 1), 0);
}

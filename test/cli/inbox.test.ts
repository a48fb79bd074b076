import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decide, decidingKey, holdingKey } from '../approvals/approving.ts';
import { signInAs } from '../harness/session.ts';
import { type DrivenTerminal, startInTerminal, type TerminalSize } from '../harness/terminal.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { connectTo } from '../mcp/connect.ts';
import { keepScreen } from './keep-screen.ts';

const WIDE = { columns: 100, rows: 32 };
const NARROW = { columns: 60, rows: 15 };
const UUID = /[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[\da-f]{4}-[\da-f]{12}/g;

/** What is other in every run, as it would be in none. */
function steady(screen: string): string {
  return screen
    .replace(UUID, '00000000-0000-7000-8000-000000000000')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/g, '2026-01-31 09:00:00 UTC')
    .replace(/71 h \d+ min/g, '71 h 59 min');
}

describe('the inbox in a terminal', () => {
  let server: TestApp;
  let agent: string;
  let decider: string;
  let folder: string;
  beforeAll(async () => {
    server = await startTestApp();
    ({ key: agent } = await holdingKey(server, { name: 'Support agent' }));
    decider = await decidingKey(server);
    folder = await mkdtemp(join(tmpdir(), 'postrider-inbox-'));
  });
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const open = (
    size: TerminalSize,
    env: Readonly<Record<string, string>> = {},
    argv: readonly string[] = ['approvals'],
  ) =>
    startInTerminal(argv, {
      ...size,
      env: { POSTRIDER_API_KEY: decider, POSTRIDER_BASE_URL: server.baseUrl, NO_COLOR: '1', ...env },
    });
  const hold = async (body: Readonly<Record<string, unknown>> = {}) => {
    const answer = await server.send({ to: 'bob@receiver.example', ...body }, { key: agent });
    if (answer.status !== 202) throw new Error(JSON.stringify(answer.body));
    return answer.body;
  };
  const approval = async (id: string) => (await server.call('GET', `/keys/approvals/${id}`, { key: decider })).body;
  /** Every hold decided, so that the next test finds its own alone. */
  const clear = async () => {
    const { body } = await server.call('GET', '/keys/approvals?status=pending&limit=100', { key: decider });
    for (const { id } of body.approvals) await decide(server, decider, id, { decision: 'reject' });
  };
  /** An editor that does to the file what this script says. */
  const editor = async (name: string, script: string) => {
    const path = join(folder, name);
    await writeFile(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return path;
  };
  const snapshot = (terminal: DrivenTerminal, name: string) => keepScreen(terminal, name, steady);

  it('shows everything about a held send, including what a mail tries to hide', async () => {
    await clear();
    await hold({
      to: ['Bob <bob@receiver.example>', 'eve@receiver.example'],
      cc: 'carl@receiver.example',
      bcc: ['secret@blind.example'],
      reply_to: 'Spy <spy@elsewhere.example>',
      headers: { 'X-Campaign': 'autumn' },
      unsubscribe: true,
      subject: 'Pay n\u2060ow, please',
      html: '<p>Please <a href="https://evil.example/login?a=1&amp;b=2">https://bank.example/login</a></p><p>See <a href="https://bank.example@evil.example/">the terms</a></p><img src="https://pixel.example/x.gif">',
      text: 'Go to https://bank.example/login.\nThanks \u202eabc\u200b \u001b[31mred\u001b]0;owned\u0007',
      agent_name: 'helper-bot',
      source: 'agent',
      attachments: [{ filename: 'invoice.pdf', content: Buffer.from('x'.repeat(2_500)).toString('base64') }],
    });
    await using terminal = open(WIDE);
    await terminal.shows('1 waiting');
    await snapshot(terminal, 'list-wide');
    terminal.type('\r');
    await terminal.shows('secret@blind.example');
    await snapshot(terminal, 'preview-wide');
    terminal.type('G');
    await terminal.shows('100 % read');
    await snapshot(terminal, 'preview-wide-end');
    terminal.type('?');
    await terminal.shows('In the list');
    await snapshot(terminal, 'help');
    terminal.type('?');
    terminal.resize(NARROW);
    await terminal.shows('Approvals: 1 waiting');
    terminal.type('g');
    await terminal.shows(/ 0 % read/);
    await snapshot(terminal, 'preview-narrow');
    terminal.type('\u001b');
    terminal.resize({ columns: 60, rows: 5 });
    // In the lowest window the row stands in the place of the titles.
    await terminal.shows(/^Approvals: 1 waiting\n> \[ \] /);
    terminal.type('q');
    expect(await terminal.ended).toBe(0);
    // No colours were asked for, and nothing of the mail's own came through.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escapes are what is looked for.
    expect(terminal.written()).not.toMatch(/\u001b\[(?:1|2|7|3\d)m|\u202e|\u001b\]0/);
  });

  it('approves with what was edited in $EDITOR, after showing the changes', {
    tags: ['approvals.decision'],
  }, async () => {
    await clear();
    const held = await hold({ subject: 'Helo', text: 'Hi Bob,\n\nsee you\n', cc: 'carl@receiver.example' });
    const EDITOR = await editor(
      'fix',
      `sed -i -e 's/Subject: Helo/Subject: Hello/' -e 's/^Cc: .*/Cc: /' -e 's/see you/See you!/' "$1"`,
    );
    await using terminal = open(WIDE, { EDITOR });
    await terminal.shows('Helo');
    terminal.type('e');
    await terminal.shows('Approve it with these changes?');
    await snapshot(terminal, 'edited-wide');
    terminal.type('y');
    await terminal.shows('Approved: Hello');
    await terminal.shows('none waiting');
    expect(await approval(held.approvalId)).toMatchObject({
      ...{ status: 'approved', outcome: 'queued', subject: 'Hello', cc: [], text: 'Hi Bob,\n\nSee you!\n' },
      ...{ edited: ['cc', 'subject', 'text'], revision: 2 },
    });
    terminal.type('\u0003');
    expect(await terminal.ended).toBe(130);
  });

  it('ignores a hold the editor did not change, returns a broken file, and reports an editor that fails', async () => {
    await clear();
    const held = await hold({ subject: 'Left alone' });
    // The first time it breaks the file, then it leaves it as it is, then it fails.
    const turns = `n=$(cat "$0.turns" 2>/dev/null || echo 0); echo $((n + 1)) > "$0.turns"`;
    const EDITOR = await editor('turns', `${turns}\ncase $n in 0) echo gone > "$1";; 2) exit 3;; esac`);
    await using terminal = open(NARROW, { EDITOR });
    await terminal.shows('Left alone');
    terminal.type('e');
    await terminal.shows('The edited file is not valid.');
    await snapshot(terminal, 'unreadable-narrow');
    terminal.type('n');
    await terminal.shows('> [ ]');
    terminal.type('e');
    await terminal.shows('You changed nothing, so nothing was decided.');
    terminal.type('e');
    await terminal.shows('turns ended with 3');
    expect((await approval(held.approvalId)).status).toBe('pending');
  });

  it('rejects several with one code and note, and approves one and remembers it, each bound to what was shown', async () => {
    await clear();
    const [first, second, third] = [
      await hold({ subject: 'Newsletter one' }),
      await hold({ subject: 'Newsletter two' }),
      await hold({ subject: 'Invoice' }),
    ];
    await using terminal = open(NARROW);
    await terminal.shows('3 waiting');
    terminal.type('/');
    await terminal.shows('Filter: _');
    terminal.type('newsletter');
    await terminal.shows('filter "newsletter": 2');
    terminal.type('\r');
    await terminal.shows('?: help');
    terminal.type('*');
    await terminal.shows('2 selected');
    terminal.type('r');
    await terminal.shows('wrong_recipient');
    await snapshot(terminal, 'reject-narrow');
    terminal.type('3');
    await terminal.shows('Code: not_needed');
    terminal.type('Too many of them.');
    await terminal.shows('Note: Too many of them._');
    terminal.type('\r');
    await terminal.shows('2 rejected.');
    for (const { approvalId } of [first, second]) {
      expect(await approval(approvalId)).toMatchObject({
        status: 'rejected',
        rejectCode: 'not_needed',
        note: 'Too many of them.',
      });
    }
    terminal.type('\u001b');
    await terminal.shows('Invoice');
    terminal.type('R');
    await terminal.shows('Remember is on');
    terminal.type('a');
    await terminal.shows('Approve this message?');
    await terminal.shows('y: approve');
    await snapshot(terminal, 'approve-narrow');
    terminal.type('y');
    await terminal.shows('its recipients are trusted: Invoice');
    expect((await approval(third.approvalId)).status).toBe('approved');
    const [trust] = await server.database
      .sql`SELECT email FROM trusted_recipients WHERE account_id = ${server.accountId}`;
    expect(trust?.['email']).toBe('bob@receiver.example');
  });

  it('offers a key that cannot decide no keys that decide, and marks dangerous sends', async () => {
    await clear();
    const html = '<a href="https://evil.example/login">https://bank.example/login</a>';
    const { approvalId } = await hold({ subject: 'Dangerous', html });
    await hold({ subject: 'Ordinary' });
    const reader = await server.newKey({ scopes: ['approvals:read', 'emails:content-all'] });
    await using terminal = open(WIDE, { POSTRIDER_API_KEY: reader });
    await terminal.shows('it lacks the scope approvals:decide');
    await terminal.shows(/danger +Dangerous/);
    expect(terminal.screen()).not.toMatch(/danger +Ordinary|a: approve|r: reject|e: edit|space: select/);
    terminal.type('j');
    await terminal.shows((screen) => !screen.includes('it lacks the scope'));
    terminal.type('a');
    await terminal.shows('it lacks the scope approvals:decide');
    expect(terminal.screen()).not.toContain('Approve this message?');
    expect((await approval(approvalId)).status).toBe('pending');
  });

  it('reports a hold that someone else decided in the meantime', async () => {
    await clear();
    const held = await hold({ subject: 'Contested' });
    await using terminal = open(NARROW, { NO_COLOR: '' });
    await terminal.shows('Contested');
    terminal.type('\r');
    await terminal.shows('Held by');
    await decide(server, decider, held.approvalId, {
      decision: 'reject',
      rejectCode: 'policy',
      note: 'Not this week.',
    });
    await terminal.shows('Another user decided it, or it expired');
    const screen = terminal.screen();
    for (const words of ['rejected by', 'policy', 'Not this week.']) expect(screen).toContain(words);
    terminal.type(' ');
    await terminal.shows('none waiting');
    // Colours, where they are wanted.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escapes are what is looked for.
    expect(terminal.written()).toMatch(/\u001b\[1m/);
  });

  it('writes whole sentences for a screen reader', async () => {
    await clear();
    await hold({ subject: 'Spoken', bcc: 'secret@blind.example' });
    await using terminal = open(WIDE, { INK_SCREEN_READER: 'true' });
    const screen = await terminal.shows('here: Spoken');
    expect(screen).toMatch(
      /here: Spoken, to bob@receiver\.example \+1, by Support agent, held by always, expires in 71 h/,
    );
  });

  it('exits immediately without access, before it touches the terminal', async () => {
    await using terminal = open(NARROW, { POSTRIDER_API_KEY: 'pr_live_nonsense' });
    // The end of the program may be known before its last words are drawn.
    await terminal.shows(/^Error: /);
    expect(await terminal.ended).toBe(3);
    expect(terminal.written()).not.toContain('\u001b[?1049h');
  });

  it('lets a user edit and approve what an agent sent over MCP, and the agent sees the delivery and the edits', {
    tags: ['approvals.who-decides'],
  }, async () => {
    await clear();
    const client = await connectTo(server, '', agent);
    const mail = {
      from: 'ada@sandbox.test',
      to: ['delivered@sandbox.test'],
      subject: 'Your refund',
      text: 'You get 1000 EUR.',
    };
    const sent = await client.call('send_email', mail);
    expect(sent.record).toMatchObject({ status: 'pending_approval' });
    expect(sent.text).toMatch(/Held, not sent/);
    const waiting = client.call('wait_for_email', { id: sent.record.id, wait: 50 });
    const EDITOR = await editor('refund', `sed -i 's/1000 EUR/10 EUR/' "$1"`);
    await using terminal = open(WIDE, { EDITOR, POSTRIDER_API_KEY: await personToken() });
    await terminal.shows('Your refund');
    terminal.type('\r');
    await terminal.shows('You get 1000 EUR.');
    terminal.type('e');
    await terminal.shows('+ You get 10 EUR.');
    terminal.type('y');
    await terminal.shows('Approved: Your refund');
    await server.pump();
    const { record, text } = await waiting;
    expect(record).toMatchObject({
      settled: true,
      status: 'delivered',
      approval: { status: 'approved', edited: ['text'] },
    });
    expect(text).toMatch(/edited: text/);
    const { decidedBy } = await approval(sent.record.approvalId);
    expect(decidedBy).toBe((await signInAs(server, 'owner@sandbox.test')).user.memberId);
    await client.close();
  });

  /** The session of the owner as `postrider login` gets it. */
  async function personToken(): Promise<string> {
    const owner = await signInAs(server, 'owner@sandbox.test');
    const { body: device } = await server.call('POST', '/auth/device', { key: null, body: {} });
    await owner.call('POST', '/auth/device/confirm', { body: { userCode: device.userCode, approvals: true } });
    const { deviceCode } = device;
    return (await server.call('POST', '/auth/device/token', { key: null, body: { deviceCode } })).body.token;
  }

  it('shows the page of an approval that needs a passkey, and rejects without one', {
    tags: ['passkeys.refusal', 'passkeys.reject'],
  }, async () => {
    await clear();
    const owner = await signInAs(server, 'owner@sandbox.test');
    await owner.call('PATCH', '/account', { body: { approvers: { requirePasskey: true } } });
    const { approvalId } = await hold({ subject: 'Invoice 7' });
    await using terminal = open(WIDE);
    await terminal.shows('1 waiting');
    terminal.type('\r');
    await terminal.shows('Invoice 7');
    terminal.type('a');
    await terminal.shows('y: approve');
    terminal.type('y');
    await terminal.shows('Approving this needs a passkey of a signed-in approver.');
    await terminal.shows(`/console/approvals/${approvalId.slice(0, 8)}`);
    expect((await approval(approvalId)).status).toBe('pending');
    terminal.type('q');
    expect((await decide(server, decider, approvalId, { decision: 'reject' })).status).toBe(200);
    await server.database.sql`UPDATE accounts SET approvals_need_passkey = false`;
  });
});

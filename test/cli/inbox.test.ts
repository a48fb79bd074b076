import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decide, decidingKey, holdingKey } from '../approvals/approving.ts';
import { type DrivenTerminal, startInTerminal, type TerminalSize } from '../harness/terminal.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

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
  const snapshot = async (terminal: DrivenTerminal, name: string) =>
    await expect(`${steady(terminal.screen())}\n`).toMatchFileSnapshot(`screens/${name}.txt`);

  it('shows everything there is to see of a held send, and hides nothing that a mail tries to hide', async () => {
    await clear();
    await hold({
      to: ['Bob <bob@receiver.example>', 'eve@receiver.example'],
      cc: 'carl@receiver.example',
      bcc: ['secret@blind.example'],
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
    terminal.type('q');
    expect(await terminal.ended).toBe(0);
    // No colours were asked for, and nothing of the mail's own came through.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escapes are what is looked for.
    expect(terminal.written()).not.toMatch(/\u001b\[(?:1|2|7|3\d)m|\u202e|\u001b\]0/);
  });
});

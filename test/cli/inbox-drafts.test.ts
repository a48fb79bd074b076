import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decidingKey, holdingKey } from '../approvals/approving.ts';
import { type DrivenTerminal, startInTerminal, type TerminalSize } from '../harness/terminal.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { keepScreen } from './keep-screen.ts';

const USUAL = { columns: 80, rows: 30 };
const NARROW = { columns: 40, rows: 24 };

/** What differs in every run. */
function steady(screen: string): string {
  return screen
    .replace(
      /[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[\da-f]{4}-[\da-f]{4}(\s*)[\da-f]{8}/g,
      '00000000-0000-7000-8000-0000$100000000',
    )
    .replace(/\d{4}-\d\d-\d\d(\s+)\d\d:\d\d:\d\d(\s+)UTC/g, '2026-01-31$109:00:00$2UTC')
    .replace(/\b\d+s ago/g, '5s ago');
}

describe('template drafts in the inbox in a terminal', () => {
  let server: TestApp;
  let agent: string;
  let decider: string;
  beforeAll(async () => {
    server = await startTestApp();
    ({ key: agent } = await holdingKey(server, { name: 'Support agent' }));
    decider = await decidingKey(server);
  });
  afterAll(() => server.close());

  const open = (size: TerminalSize, env: Readonly<Record<string, string>> = {}) =>
    startInTerminal(['approvals'], {
      ...size,
      env: { POSTRIDER_API_KEY: decider, POSTRIDER_BASE_URL: server.baseUrl, NO_COLOR: '1', ...env },
    });
  const snapshot = (terminal: DrivenTerminal, name: string) => keepScreen(terminal, name, steady);
  const call = async (method: string, path: string, key: string, body?: object) => {
    const answer = await server.call(method, path, { key, ...(body === undefined ? {} : { body }) });
    if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
    return answer.body;
  };
  const change = async (slug: string, body: object, key = agent) =>
    await call('PATCH', `/templates/${slug}`, key, body);
  const read = async (slug: string) => await call('GET', `/templates/${slug}`, server.key);
  /** Every draft discarded, so that each test finds its own alone. */
  const clear = async () => {
    const { drafts } = await call('GET', '/keys/approvals/drafts?limit=100', decider);
    for (const { slug } of drafts) await call('POST', `/templates/${slug}/discard`, decider, {});
  };
  /** A published template with a draft by the agent. */
  const drafted = async (slug: string) => {
    const html = '<h1>Welcome</h1>\n<p>Hello {{ name }}</p>\n<p>See you</p>';
    await call('POST', '/templates', server.key, { slug, name: slug, subject: 'Welcome', html, text: 'Hello' });
    return await change(slug, {
      subject: 'Welcome, {{ name }}',
      html: html.replace('See you', '<a href="https://evil.example/">Sign in</a>'),
      text: 'Hello \u202e\u001b[31mred\u001b]0;owned\u0007',
      note: 'New \u001b[2Jlink',
    });
  };

  it('are listed, opened as a difference and published as shown', {
    tags: ['holes.template-drafts'],
  }, async () => {
    await clear();
    await drafted('welcome');
    await using terminal = open(USUAL);
    await terminal.shows('1 is a draft');
    await snapshot(terminal, 'drafts-list');
    terminal.type('\r');
    await terminal.shows('evil.example');
    await snapshot(terminal, 'draft-preview');
    terminal.resize(NARROW);
    await terminal.shows(/ 0 % read/);
    await snapshot(terminal, 'draft-preview-narrow');
    terminal.type('a');
    await terminal.shows('Publish welcome version 2?');
    await snapshot(terminal, 'draft-publish-narrow');
    terminal.type('y');
    await terminal.shows('Published: welcome version 2');
    await terminal.shows('none waiting');
    expect(await read('welcome')).toMatchObject({ currentVersion: 2, subject: 'Welcome, {{ name }}' });
    terminal.type('q');
    expect(await terminal.ended).toBe(0);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escapes are what is looked for.
    expect(terminal.written()).not.toMatch(/\u001b\[(?:1|2|7|3\d)m|\u202e|\u001b\]0/);
  });

  it('are shown again when they changed, and discarded with r', async () => {
    await clear();
    await drafted('receipt');
    await using terminal = open(USUAL, { NO_COLOR: '' });
    await terminal.shows('receipt version 2');
    terminal.type('\r');
    await terminal.shows('Replaces    version 1');
    terminal.type('a');
    await terminal.shows('y: publish');
    // Someone publishes another version after the draft was opened.
    await change('receipt', { text: 'Hello from a person' }, server.key);
    terminal.type('y');
    await terminal.shows('It changed while you read it. Nothing was decided. Read it again.');
    await terminal.shows('! Version 3 was published after the draft was written');
    expect(await read('receipt')).toMatchObject({ currentVersion: 3 });
    terminal.type('r');
    await terminal.shows('Discard receipt version 2?');
    terminal.type('y');
    await terminal.shows('Discarded: receipt version 2');
    expect((await call('GET', '/keys/approvals/drafts', decider)).drafts).toEqual([]);
    // Colours repeat what the signs say.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escapes are what is looked for.
    expect(terminal.written()).toMatch(/\u001b\[31m- [\s\S]*\u001b\[32m\+ /);
  });

  it('appear while the inbox is open, and say so when someone else discards them', async () => {
    await clear();
    await using terminal = open(USUAL);
    await terminal.shows('none waiting');
    await drafted('notice');
    await terminal.shows('notice version 2');
    terminal.type('\r');
    await terminal.shows('Written by  key Support agent');
    await call('POST', '/templates/notice/discard', agent, {});
    await terminal.shows('notice version 2 was published or discarded in the meantime');
    terminal.type(' ');
    await terminal.shows('Nothing is waiting for a decision');
  });

  it('of a key that may not decide say why and what to do', async () => {
    await clear();
    await drafted('invoice');
    await using terminal = open(USUAL, { POSTRIDER_API_KEY: agent });
    await terminal.shows('invoice version 2');
    terminal.type('\r');
    await terminal.shows((screen) => !screen.includes('approvals:decide') && screen.includes('r: discard'));
    expect(terminal.screen()).not.toContain('a: publish');
    terminal.type('a');
    await terminal.shows('This key cannot approve or reject: it lacks the scope approvals:decide.');
    expect(await read('invoice')).toMatchObject({ currentVersion: 1 });
  });
});

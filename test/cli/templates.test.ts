import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { runInProcess, type Terminal } from './run-in-process.ts';

describe('postrider templates', () => {
  let server: TestApp;
  let key = '';
  let cwd = '';
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    cwd = await mkdtemp(join(tmpdir(), 'postrider-templates-'));
    ({ key } = await server.newAccount());
  });
  afterEach(() => rm(cwd, { recursive: true, force: true }));

  const run = (argv: string, terminal: Terminal = {}) =>
    runInProcess(argv.split(' '), {
      cwd,
      env: { POSTRIDER_API_KEY: key, POSTRIDER_BASE_URL: server.baseUrl, NO_COLOR: '1' },
      ...terminal,
    });
  const json = async (argv: string) => {
    const { code, stdout, stderr } = await run(argv);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout);
  };
  const write = async (files: Readonly<Record<string, string>>) => {
    await mkdir(join(cwd, 'mail'), { recursive: true });
    for (const [name, content] of Object.entries(files)) await writeFile(join(cwd, 'mail', name), content);
  };
  const WELCOME = {
    'welcome.json': '{"name":"Welcome","subject":"Hi {{ name }}"}',
    'welcome.html': '<p>{{ name }}</p>',
    'receipt.txt': 'Total {{ total }}',
    'notes.md': 'not a template',
  };

  it('push creates what is new, updates what differs and leaves the rest', async () => {
    await write(WELCOME);
    expect(await json('templates push mail --note first')).toEqual({
      templates: [
        { slug: 'receipt', result: 'created', version: 1 },
        { slug: 'welcome', result: 'created', version: 1 },
      ],
    });
    expect(await json('templates get welcome')).toMatchObject({
      name: 'Welcome',
      subject: 'Hi {{ name }}',
      html: '<p>{{ name }}</p>',
      text: null,
      versions: [{ note: 'first' }],
    });
    await write({ 'welcome.txt': 'Hi {{ name }}' });
    expect((await json('templates push mail --check')).templates[1]).toEqual({
      slug: 'welcome',
      result: 'changed',
      version: 1,
    });
    expect((await json('templates push mail/welcome.txt')).templates).toEqual([
      { slug: 'welcome', result: 'changed', version: 2 },
    ]);
    expect((await json('templates push mail')).templates.map(({ result }: { result: string }) => result)).toEqual([
      'unchanged',
      'unchanged',
    ]);
  });

  it('push and get report drafts, and push does not build on another key’s draft', async () => {
    const { key: agent } = (
      await server.call('POST', '/keys', { key, body: { name: 'Agent', scopes: ['full'], approvalMode: 'always' } })
    ).body;
    await write(WELCOME);
    const env = { POSTRIDER_API_KEY: agent, POSTRIDER_BASE_URL: server.baseUrl, NO_COLOR: '1' };
    const drafted = await run('templates push mail/welcome.html', { env });
    expect(JSON.parse(drafted.stdout).templates).toEqual([{ slug: 'welcome', result: 'drafted', version: 1 }]);
    const shown = await run('templates get welcome', { columns: 80 });
    expect(shown.stdout).toContain('1 (a draft, not live; no version is published)');
    expect((await run('templates list', { columns: 80 })).stdout).toMatch(/welcome +draft/);
    expect((await json('templates drafts')).drafts[0].changes.html.after).toBe('<p>{{ name }}</p>');
    expect((await json('templates push mail/welcome.html')).templates).toEqual([
      { slug: 'welcome', result: 'changed', version: 2 },
    ]);
    expect(await json('templates get welcome')).toMatchObject({ html: '<p>{{ name }}</p>', currentVersion: 2 });
  });

  it('push reports the part and the line of invalid Liquid, and what was done before', async () => {
    await write({ 'a.txt': 'fine', 'b.html': 'one\n{% if x %}' });
    const { code, stderr } = await run('templates push mail');
    expect(code).toBe(6);
    const problem = JSON.parse(stderr);
    expect(problem.detail).toMatch(/^b: html: line 2.*The 1 before it were stored/);
    expect((await json('templates list')).total).toBe(1);
  });

  it.each([
    [{ 'x.json': '{"name":"X"}' }, 'contains no template'],
    [{ 'x.html': 'x', 'x.json': '[]' }, 'x.json: is not a JSON object'],
    [{ 'x.html': 'x', 'x.json': '{"slug":"y"}' }, 'x.json: unknown fields slug'],
    [{ 'x.html': 'x', 'x.json': '{"subject":1}' }, '`subject` is not a string'],
  ])('push rejects invalid files before it stores anything: %j', async (files, words) => {
    await write({ ...files });
    const { code, stderr } = await run('templates push mail');
    expect([code, JSON.parse(stderr).detail]).toEqual([2, expect.stringContaining(words)]);
    expect((await json('templates list')).total).toBe(0);
  });

  it('pull writes what push reads, all or one', async () => {
    await write(WELCOME);
    await json('templates push mail');
    const { folder, files } = await json('templates pull --dir copy');
    expect(folder).toBe(join(cwd, 'copy'));
    expect([...files].sort()).toEqual(['receipt.json', 'receipt.txt', 'welcome.html', 'welcome.json']);
    expect(await readFile(join(cwd, 'copy/welcome.html'), 'utf8')).toBe(WELCOME['welcome.html']);
    expect(
      (await json('templates push copy')).templates.every(({ result }: { result: string }) => result === 'unchanged'),
    ).toBe(true);
    await json('templates pull receipt --dir one');
    expect((await readdir(join(cwd, 'one'))).sort()).toEqual(['receipt.json', 'receipt.txt']);
    expect((await run('templates pull nope')).code).toBe(5);
  });

  it('push and pull of many show a bar at a terminal, and remove it at the end', async () => {
    await write(WELCOME);
    const pushed = await run('templates push mail', { columns: 80 });
    expect(pushed.stdout).toMatch(/SLUG +RESULT +VERSION\nreceipt +created +1\nwelcome +created +1\n/);
    expect(pushed.stderr).toContain('[------------------------] 0/2 receipt');
    expect(pushed.stderr).toContain('[############------------] 1/2 welcome');
    expect(pushed.stderr.endsWith('\r\u001b[K')).toBe(true);
    const pulled = await run('templates pull', { columns: 80 });
    expect(pulled.stderr).toContain('1/2 receipt');
    expect((await run('templates push mail -q', { columns: 80 })).stderr).toBe('');
  });

  it('preview renders files that are not stored, through the server', async () => {
    await write(WELCOME);
    expect(await json('templates preview mail/welcome.html')).toMatchObject({ subject: 'Hi', missing: ['name'] });
    expect((await run('templates preview mail/welcome.html', { columns: 80 })).stdout).toContain('missing  name');
    await json('templates push mail');
    await write({ 'welcome.html': '<b>{{ name }}{{ more }}</b>', 'values.json': '{"name":"Ada"}' });
    const rendered = await json('templates preview mail/welcome.html --variables @mail/values.json --out page.html');
    expect(rendered).toMatchObject({ subject: 'Hi Ada', html: '<b>Ada</b>', missing: ['more'] });
    expect(await readFile(join(cwd, 'page.html'), 'utf8')).toBe('<b>Ada</b>');
    expect((await json('templates get welcome')).html).toBe('<p>{{ name }}</p>');
    expect((await run('templates preview mail/welcome.html --variables [1]')).code).toBe(2);
  });

  it('rollback creates a version that equals an earlier one', async () => {
    await write(WELCOME);
    await json('templates push mail');
    await json('templates update welcome --html <i>2</i>');
    const back = await json('templates rollback welcome 1 --note again');
    expect(back).toMatchObject({ version: 3, html: WELCOME['welcome.html'] });
    expect(back.versions[2].note).toBe('again');
    expect((await run('templates rollback welcome 9')).code).toBe(6);
    expect((await run('templates rollback welcome x')).code).toBe(2);
  });

  it('create, list, get, render, test and delete are the operations', async () => {
    await write({ 'body.html': '<p>{{ name }}</p>' });
    const created = await run('templates create --name Hello --subject Hi --html @mail/body.html');
    expect(JSON.parse(created.stdout).html).toBe('<p>{{ name }}</p>');
    expect((await json('templates get hello --version 1')).version).toBe(1);
    expect((await json('templates render hello --variables {"name":"Ada"}')).html).toBe('<p>Ada</p>');
    expect((await json('templates test hello --variables {"name":"Ada"}')).status).toBe('queued');
    const list = await run('templates list', { columns: 80 });
    expect(list.stdout).toMatch(/SLUG +VERSION +NAME +SUBJECT +CHANGED\nhello +1 +Hello +Hi /);
    const sheet = await run('templates get hello', { columns: 80 });
    expect(sheet.stdout).toMatch(/variables +name\n[\s\S]*Versions\n {2}1 /);
    expect((await json('templates delete hello')).slug).toBe('hello');
    expect((await run('templates get hello')).code).toBe(5);
  });
});

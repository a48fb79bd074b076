import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowser } from '../harness/browser.ts';
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts';

const AGENT = fileURLToPath(new URL('./signed-in-agent.ts', import.meta.url));
const CLI = join(import.meta.dirname, '../../packages/cli/src/main.ts');
const OWNER = 'owner@sandbox.test';

/**
 * What docs/agent-sign-in.md records: an agent with the official client, the server in its own process, a browser with an authenticator, and
 * the command line. With `RECORDING` set to a file, the story is written there.
 */
describe('an agent that signs in, and whose approval needs a passkey', { tags: ['passkeys.story'] }, () => {
  const story: string[] = [];
  let folder: string;
  let server: ServerProcess;
  let browser: Browser;
  let baseUrl: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postrider-story-'));
    const port = await freePort();
    baseUrl = `http://localhost:${port}`;
    server = startServerProcess(['start'], {
      ...{ POSTRIDER_DATA_DIR: join(folder, 'data'), POSTRIDER_PORT: String(port), POSTRIDER_BASE_URL: baseUrl },
    });
    [browser] = await Promise.all([startBrowser(), server.ready]);
  });
  afterAll(async () => {
    await browser.close();
    server.child.kill('SIGTERM');
    await server.finished;
    const file = process.env['RECORDING'];
    if (file !== undefined) await writeFile(file, `${story.join('\n')}\n`);
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs a program in the folder of the story. */
  async function run(shown: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    story.push(`$ ${shown}`);
    const started = start(args, env);
    const [exitCode] = await once(started.child, 'close');
    return { exitCode, text: started.lines.join('\n') };
  }

  function start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const child = spawn(process.execPath, args, {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder, NO_COLOR: '1', ...env },
    });
    const lines: string[] = [];
    const note = (text: string) => {
      for (const line of text.split('\n').filter(Boolean)) {
        lines.push(line);
        story.push(line);
      }
    };
    child.stdout.setEncoding('utf8').on('data', note);
    child.stderr.setEncoding('utf8').on('data', note);
    return { child, lines };
  }

  it('is notified of the decision, whose receipt two programs verify', { timeout: 120_000 }, async () => {
    const page = await signInWithPasskey();
    const agent = start([AGENT, `${baseUrl}/mcp`]);
    const ended = once(agent.child, 'close');
    story.push(`$ node example.ts ${baseUrl}/mcp`);
    const url = await until(agent.lines, /^Opening the browser: (\S+)/);
    await page.goto(url);
    await note(page, 'Allow', ['asks to use Postrider', 'Not verified', 'Allow it only if', 'Every message']);
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    const opened = await until(agent.lines, /(http\S+\/approvals\/open\/\S+)/);
    await until(agent.lines, /^(Waiting\.)/);

    await page.goto(opened);
    await note(page, 'Approve and send', ['We have refunded 7 EUR.', 'Approving this needs your passkey.']);
    await page.getByRole('button', { name: 'Approve and send' }).click();
    expect(await ended).toEqual([0, null]);
    const waiting = agent.lines.slice(agent.lines.indexOf('Waiting.'));
    expect(waiting.filter((line) => line.startsWith('->'))).toEqual(['-> resources/read']);
    expect(waiting.at(-1)).toMatch(/: approved$/);

    await verify(opened.split('/').at(-1) ?? '');
  });

  async function signInWithPasskey(): Promise<Page> {
    const context = await browser.newContext();
    const page = await context.newPage();
    const cdp = await context.newCDPSession(page);
    await cdp.send('WebAuthn.enable');
    const options = {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
    } as const;
    const given = { ...options, isUserVerified: true, automaticPresenceSimulation: true };
    await cdp.send('WebAuthn.addVirtualAuthenticator', { options: given });
    await context.request.post(`${baseUrl}/dev/session`, { data: { email: OWNER } });
    await page.goto(`${baseUrl}/auth/passkeys`);
    await page.getByLabel('A name for the new passkey').fill('Laptop');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.locator('li').last().waitFor();
    await page.goto(`${baseUrl}/console/settings`);
    await page.getByRole('button', { name: 'Require a passkey' }).click();
    await page.getByText('Approvals need a passkey from now on.').waitFor();
    return page;
  }

  /** Writes the heading of the page, these words of it, and the button that is pressed. */
  async function note(page: Page, button: string, words: readonly string[]): Promise<void> {
    const shown = [await page.getByRole('heading', { level: 1 }).textContent()];
    for (const text of words) shown.push(await page.locator('main').getByText(text).first().textContent());
    story.push(...shown.map((text) => `      ${text?.trim()}`), `      [${button}]`);
  }

  async function verify(approvalId: string): Promise<void> {
    const { key } = JSON.parse(await readFile(join(folder, 'data/quickstart.json'), 'utf8'));
    const environment = { POSTRIDER_BASE_URL: baseUrl, POSTRIDER_API_KEY: key };
    const receipt = await run(
      'postrider approvals receipt <id> > receipt.jws',
      [CLI, 'approvals', 'receipt', approvalId],
      environment,
    );
    await writeFile(join(folder, 'receipt.jws'), `${receipt.text}\n`);
    story.push('$ curl -sS <base URL>/.well-known/postrider-receipts.json > keys.json');
    const keys = await fetch(`${baseUrl}/.well-known/postrider-receipts.json`);
    await writeFile(join(folder, 'keys.json'), await keys.text());
    const args = ['audit', 'verify-receipt', 'receipt.jws', '--keys', 'keys.json'];
    const byCommand = await run(`postrider ${args.join(' ')}`, [CLI, ...args, '--no-json']);
    expect([byCommand.exitCode, byCommand.text]).toEqual([0, expect.stringContaining('by console, with a passkey')]);

    const doc = await readFile(join(import.meta.dirname, '../../docs/receipts.md'), 'utf8');
    const [, program = '', passkeys = ''] = doc.split('```js\n').map((part) => part.split('```')[0] ?? '');
    await writeFile(join(folder, 'verify-receipt.mjs'), program);
    const shown = `node verify-receipt.mjs receipt.jws keys.json ${baseUrl}`;
    const alone = await run(shown, ['verify-receipt.mjs', 'receipt.jws', 'keys.json', baseUrl]);
    expect([alone.exitCode, alone.text]).toEqual([0, expect.stringContaining(approvalId)]);
    await writeFile(join(folder, 'verify-passkeys.mjs'), passkeys);
    const both = `import { readFileSync } from 'node:fs';
const load = (name) => import(\`./\${name}.mjs\`);
const [{ verifyReceipt }, { verifyPasskeys }] = await Promise.all(['verify-receipt', 'verify-passkeys'].map(load));
const { keys } = JSON.parse(readFileSync('keys.json', 'utf8'));
console.log(verifyPasskeys(verifyReceipt(readFileSync('receipt.jws', 'utf8').trim(), keys, '${baseUrl}')));`;
    await writeFile(join(folder, 'verify-both.mjs'), both);
    const proven = await run('node verify-both.mjs', ['verify-both.mjs']);
    expect([proven.exitCode, proven.text]).toEqual([0, expect.stringMatching(/^\[ '[0-9a-f-]{36}' \]$/)]);
  }
});

async function until(lines: readonly string[], pattern: RegExp): Promise<string> {
  return await expect
    .poll(() => lines.map((line) => pattern.exec(line)?.[1]).find(Boolean), { timeout: 20_000, interval: 50 })
    .toBeDefined()
    .then(() => lines.map((line) => pattern.exec(line)?.[1]).find(Boolean) ?? '');
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

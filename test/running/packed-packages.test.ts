import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PackedPackage, packPackages } from '../../tools/packages/pack-packages.ts';
import { runNpm } from '../../tools/packages/run-npm.ts';
import { runPnpm } from '../../tools/run-pnpm.ts';
import { ROOT, runProgram } from '../../tools/run-program.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

/** What a project installs that uses Postrider. */
const INSTALLED = ['@postrider/core', '@postrider/sdk', '@postrider/mcp', '@postrider/review', '@postrider/cli'];
/** Of a tarball, in bytes: what comes in by mistake, such as tests or a bundled dependency, is found by it. */
const LARGEST_TARBALLS: Readonly<Record<string, number>> = {
  '@postrider/core': 600_000,
  '@postrider/sdk': 250_000,
  '@postrider/mcp': 400_000,
  '@postrider/review': 100_000,
  '@postrider/cli': 600_000,
  // A sixth of it is the console.
  '@postrider/server': 3_500_000,
};
const INSTALL_TIMEOUT_MS = 300_000;
const MAIL = { from: 'app@sandbox.test', to: 'delivered@sandbox.test' };

/** A program of someone who knows the packages alone; compiled with its declarations checked, and run. */
const PROGRAM = `import { type Message, Postrider, PostriderError } from '@postrider/sdk';

const [apiKey = '', baseUrl = ''] = process.argv.slice(2);
const postrider: Postrider = new Postrider({ apiKey, baseUrl });
const { id } = await postrider.emails.send({
  from: '${MAIL.from}',
  to: '${MAIL.to}',
  subject: 'From the SDK',
  text: 'Hi',
});
const message: Message = await postrider.emails.get(id, { wait: 30 });
const subjects: string[] = [];
for await (const email of postrider.emails.list({ limit: 1 })) subjects.push(email.subject);
const code: PostriderError['code'] = await postrider.emails.get('01936a2e-0000-7000-8000-000000000001').then(
  () => 'unexpected_answer' as const,
  (error: unknown) => (error instanceof PostriderError ? error.code : 'unexpected_answer'),
);
console.log(JSON.stringify({ status: message.status, subjects, code }));
`;

let place: string;
let project: string;
let packed: readonly PackedPackage[];
let server: TestApp;

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'postrider-packed-'));
  project = join(place, 'project');
  const build = runProgram(process.execPath, ['tools/build.ts']);
  expect(build.ok, build.output).toBe(true);
  packed = await packPackages(place);
  await install();
  server = await startTestApp();
}, INSTALL_TIMEOUT_MS);
afterAll(async () => {
  await server?.close();
  await rm(place, { recursive: true, force: true });
});

/** Our own packages from their tarballs; what they depend on from npm's cache, else from the registry. */
async function install(): Promise<void> {
  const ours = packed.filter(({ manifest }) => INSTALLED.includes(manifest.name));
  const dependencies = Object.fromEntries(ours.map(({ manifest, tarball }) => [manifest.name, `file:${tarball}`]));
  await mkdir(project);
  const manifest = { name: 'somebody', version: '1.0.0', private: true, type: 'module', dependencies };
  await writeFile(join(project, 'package.json'), JSON.stringify(manifest));
  const flags = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  const run = runNpm(['install', ...flags], project);
  expect(run.ok, run.output).toBe(true);
}

function packedAs(name: string): PackedPackage {
  const found = packed.find(({ manifest }) => manifest.name === name);
  if (found === undefined) throw new Error(`${name} was not packed`);
  return found;
}

/** A program of the project, in an environment that names the server and the key. */
async function run(file: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(file, args, { cwd: project, env: environment() });
  return stdout;
}

function environment(): Record<string, string> {
  // Programs begin with the first Node of the path, which has to be as new as the packages ask for.
  const path = [dirname(process.execPath), process.env['PATH']].join(delimiter);
  return { PATH: path, HOME: place, POSTRIDER_API_KEY: server.key, POSTRIDER_BASE_URL: server.baseUrl };
}

describe.each(Object.entries(LARGEST_TARBALLS))('%s, as it is published', (name, largestBytes) => {
  it('has its license, a description, and compiled files alone, besides the icons that clients show', () => {
    const { files, tarballBytes } = packedAs(name);
    const paths = files.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json']));
    const others = paths.filter(
      (path) => !/^(?:LICENSE|README\.md|package\.json|dist\/.+|icons\/[^/]+\.(?:png|svg))$/.test(path),
    );
    const sources = paths.filter((path) => /(?<!\.d)\.ts$|\.tsbuildinfo$|\.test\./.test(path));
    expect([...others, ...sources]).toEqual([]);
    console.log(`${name}: ${files.length} files, ${tarballBytes} bytes packed`);
    expect(tarballBytes).toBeLessThan(largestBytes);
  });

  it('names existing files in its manifest, and versions that a registry has', async () => {
    const { manifest, files, folder } = packedAs(name);
    const text = await readFile(join(folder, 'package.json'), 'utf8');
    expect(text).not.toMatch(/workspace:|catalog:|link:|file:|\.\/src\//);
    const named = [...text.matchAll(/"\.\/(dist\/[^"]+)"/g)].map(([, path]) => path);
    expect(named.length).toBeGreaterThan(0);
    const paths = new Set(files.map(({ path }) => path));
    expect(named.filter((path) => !paths.has(path ?? ''))).toEqual([]);
    const modules = Object.entries(manifest.exports ?? {}).filter(([path]) => !path.endsWith('.json'));
    expect(modules.filter(([, targets]) => !JSON.stringify(targets).includes('.d.ts'))).toEqual([]);
    const versions = Object.values({ ...manifest.dependencies, ...manifest.optionalDependencies });
    expect(versions.filter((version) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))).toEqual([]);
  });
});

describe('pnpm pack', { timeout: 120_000 }, () => {
  it('builds a package that has no build', async () => {
    await rm(join(ROOT, 'packages/sdk/dist'), { recursive: true });
    const pack = ['--filter', '@postrider/sdk', 'pack', '--json', '--pack-destination', place];
    const { ok, output } = runPnpm(pack);
    expect(ok, output).toBe(true);
    expect(output).toContain('dist/index.js');
  });
});

describe('a project that installs the tarballs', { timeout: 120_000 }, () => {
  it('has one copy of each of our packages', async () => {
    const folders = (await readdir(join(project, 'node_modules/@postrider'))).map((name) => `@postrider/${name}`);
    expect(folders.sort()).toEqual([...INSTALLED].sort());
    const lock = JSON.parse(await readFile(join(project, 'package-lock.json'), 'utf8'));
    const ours = Object.keys(lock.packages).filter((path) => path.includes('@postrider/'));
    expect(ours).toHaveLength(INSTALLED.length);
  });

  it('compiles against the SDK’s declarations, sends, and reads that the message was delivered', async () => {
    await writeFile(join(project, 'program.ts'), PROGRAM);
    // Of what Node has the program needs two things, and it is to compile where nothing else is installed.
    await writeFile(join(project, 'node.d.ts'), 'declare const process: { readonly argv: string[] };\n');
    const settings = { strict: true, target: 'es2024', module: 'nodenext', lib: ['es2024', 'dom'], types: [] };
    const compilerOptions = { ...settings, exactOptionalPropertyTypes: true, skipLibCheck: false };
    const files = ['program.ts', 'node.d.ts'];
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    const compiled = runProgram('tsc', ['-p', project], ROOT);
    expect(compiled.output).toBe('');
    const response = await run(process.execPath, ['program.js', server.key, server.baseUrl]);
    expect(JSON.parse(response)).toEqual({ status: 'delivered', subjects: ['From the SDK'], code: 'not_found' });
  });

  it('bundles only the used parts of the SDK, and no client when it only verifies webhooks', async () => {
    await writeFile(join(project, 'verify.js'), "export { verifyWebhook } from '@postrider/sdk';\n");
    const build = await rolldown({ input: join(project, 'verify.js'), cwd: project, platform: 'node' });
    const { output } = await build.generate({ format: 'esm' });
    await build.close();
    expect(output.map(({ type }) => type)).toEqual(['chunk']);
    expect(output[0].imports).toEqual([]);
    expect(output[0].code).toContain('webhook_signature_mismatch');
    expect(output[0].code.length).toBeLessThan(25_000);
  });

  it('sends from the command line and waits for the outcome', async () => {
    const postrider = join(project, 'node_modules/.bin/postrider');
    expect(await run(postrider, ['--version'])).toBe(`${packedAs('@postrider/cli').manifest.version}\n`);
    const mail = ['--from', MAIL.from, '--to', MAIL.to, '--subject', 'From the CLI', '--text', 'Hi'];
    const sent = JSON.parse(await run(postrider, ['send', ...mail, '--wait', '30', '--json']));
    expect(sent).toMatchObject({ status: 'delivered', subject: 'From the CLI', channel: 'sdk' });
  });

  it('adds the package to the settings of MCP clients, not a path of this machine', async () => {
    const install = ['mcp', 'install', '--client', 'cursor', '--api-key', server.key, '--print', '--json'];
    const [{ content }] = JSON.parse(await run(join(project, 'node_modules/.bin/postrider'), install)).clients;
    const { postrider } = JSON.parse(content).mcpServers;
    expect([postrider.command, postrider.args]).toEqual(['npx', ['-y', '@postrider/mcp']]);
  });

  it('sends through the MCP program, and reads the outcome there', async () => {
    const command = join(project, 'node_modules/.bin/postrider-mcp');
    const client = new Client({ name: 'somebody', version: '1.0.0' });
    await client.connect(new StdioClientTransport({ command, cwd: project, env: environment(), stderr: 'ignore' }));
    try {
      const mail = { from: MAIL.from, to: [MAIL.to], subject: 'From an agent', text: 'Hi' };
      const sent = await client.callTool({ name: 'send_email', arguments: mail });
      expect(sent.structuredContent).toMatchObject({ status: 'queued' });
      const { id } = sent.structuredContent as { readonly id: string }; // The contract's response to a send.
      const outcome = await client.callTool({ name: 'wait_for_email', arguments: { id, wait: 30 } });
      expect(outcome.structuredContent).toMatchObject({ id, status: 'delivered' });
      const { body } = await server.call('GET', `/emails/${id}`);
      expect(body).toMatchObject({ status: 'delivered', channel: 'mcp', subject: 'From an agent' });
    } finally {
      await client.close();
    }
  });
});

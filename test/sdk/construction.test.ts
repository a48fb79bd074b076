import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { Postrider } from '../../packages/sdk/src/index.ts';
import { explainOldNode } from '../../packages/sdk/src/transports/node-version.ts';
import { startScriptedServer } from './scripted-server.ts';

const SDK = path.resolve(import.meta.dirname, '../../packages/sdk/src/index.ts');

const NAMES = ['POSTRIDER_API_KEY', 'POSTRIDER_BASE_URL'] as const;

describe('a client', () => {
  const before = Object.fromEntries(NAMES.map((name) => [name, process.env[name]]));
  afterEach(() => {
    for (const name of NAMES) {
      const value = before[name];
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });

  it('reads its key and its address from the environment unless others are passed', async () => {
    await using server = await startScriptedServer([
      { status: 200, body: {} },
      { status: 200, body: {} },
    ]);
    process.env['POSTRIDER_API_KEY'] = 'pr_live_environment';
    process.env['POSTRIDER_BASE_URL'] = server.baseUrl;
    await new Postrider().account.get();
    await new Postrider({ apiKey: 'pr_live_given', baseUrl: undefined }).account.get();
    expect(server.received.map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer pr_live_environment',
      'Bearer pr_live_given',
    ]);
  });

  it('says how to set a key when it has none', () => {
    delete process.env['POSTRIDER_API_KEY'];
    expect(() => new Postrider({ apiKey: undefined })).toThrow(/pass it, or set POSTRIDER_API_KEY/);
    process.env['POSTRIDER_API_KEY'] = '';
    expect(() => new Postrider()).toThrow(TypeError);
    process.env['POSTRIDER_API_KEY'] = 'pr_live_environment';
    expect(() => new Postrider({ apiKey: '' })).toThrow(TypeError);
    expect(new Postrider({ apiKey: null })).toBeInstanceOf(Postrider);
  });
});

describe('the required version of Node', () => {
  it.each(['18.20.4', '20.20.2', '22.18.0'])('is named on Node %s', (node) => {
    expect(explainOldNode({ node })).toBe(
      `@postrider/sdk needs Node 22.19 or newer, and this is Node ${node}. Update Node, or pass a \`transport\`.`,
    );
  });

  it.each([
    { node: '22.19.0' },
    { node: '26.1.0' },
    { node: '20.0.0', bun: '1.1.0' },
    { node: '20.0.0', deno: '2.0.0' },
    {},
  ])('is not checked on %o', (versions) => {
    expect(explainOldNode(versions)).toBeNull();
  });

  /** What a program of its own prints whose Node has this version. */
  async function printOn(version: string): Promise<string> {
    const versions = { ...process.versions, node: version };
    const preload = `Object.defineProperty(process, 'versions', { value: ${JSON.stringify(versions)} });`;
    const program = `import { Postrider } from ${JSON.stringify(SDK)};
      try {
        new Postrider({ apiKey: 'pr_live_given', baseUrl: 'http://127.0.0.1:1' });
        console.log('created');
      } catch (error) {
        console.log(error.message);
      }`;
    const toUrl = (source: string) => `data:text/javascript,${encodeURIComponent(source)}`;
    const args = ['--import', toUrl(preload), '--input-type=module', '--eval', program];
    return (await promisify(execFile)(process.execPath, args)).stdout.trim();
  }

  it('is named as soon as a program creates a client on an older Node', async () => {
    expect(await printOn('20.20.2')).toBe(
      '@postrider/sdk needs Node 22.19 or newer, and this is Node 20.20.2. Update Node, or pass a `transport`.',
    );
    expect(await printOn('22.19.0')).toBe('created');
  });
});

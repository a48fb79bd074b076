import { type IncomingMessage, get as requestOf } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../packages/server/src/clock.ts';
import { openLogPool } from '../../packages/server/src/db/database-pools.ts';
import { createHttpApp } from '../../packages/server/src/http/create-http-app.ts';
import { createRequestLog } from '../../packages/server/src/http/request-log.ts';
import { type AssetSource, addAssetRoutes, createAssets } from '../../packages/server/src/ui/asset-routes.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { useCleanUps } from '../harness/clean-ups.ts';

const cleanUp = useCleanUps();
const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = `${'main { color: #123456; }\n'.repeat(200)}`;
const style = { name: 'page.css', contentType: 'text/css; charset=utf-8', read: () => STYLE };

async function serve(sources: readonly AssetSource[]) {
  // Nothing is logged here, since no one shows a key: the pool never connects.
  const logSql = openLogPool({ kind: 'url', url: 'postgres://nobody@127.0.0.1:1/none' });
  const requestLog = createRequestLog(logSql, systemClock, createIdGenerator(), () => undefined);
  const app = createHttpApp({
    baseUrl: 'http://mail.example',
    trustedProxies: [],
    logger: pino({ level: 'silent' }),
    requestLog,
    identify: () => Promise.resolve(null),
  });
  const assets = createAssets(sources);
  addAssetRoutes(app, assets);
  cleanUp(async () => {
    await app.close();
    await requestLog.close();
    await logSql.end();
  });
  const base = await app.listen({ host: '127.0.0.1', port: 0 });
  const get = async (path: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') => {
    // The client of the platform would decode the body.
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      requestOf(base + path, { method, headers }, resolve).on('error', reject);
    });
    return { status: response.statusCode, headers: response.headers, bytes: await buffer(response) };
  };
  return { assets, get };
}

describe('the assets of pages', () => {
  it('are kept by browsers for a year, under the hash of their content', async () => {
    const { assets, get } = await serve([style]);
    const url = assets.url('page.css');
    expect(url).toMatch(/^\/assets\/[\w-]{16}\/page\.css$/);
    const { status, headers, bytes } = await get(url);
    expect({ status, text: bytes.toString() }).toEqual({ status: 200, text: STYLE });
    expect(headers).toMatchObject({
      'content-type': 'text/css; charset=utf-8',
      'content-length': String(STYLE.length),
      'cache-control': 'public, max-age=31536000, immutable',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      vary: 'accept-encoding',
    });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
    expect(createAssets([{ ...style, read: () => `${STYLE} ` }]).url('page.css')).not.toBe(url);
    expect(createAssets([style]).url('page.css')).toBe(url);
  });

  it.each([
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip;q=1.0, br;q=0', 'gzip', gunzipSync],
    ['GZIP', 'gzip', gunzipSync],
    ['deflate, *;q=0', undefined, (bytes: Buffer) => bytes],
    ['', undefined, (bytes: Buffer) => bytes],
  ] as const)('are compressed as the client accepts: %s', async (accepted, encoding, decode) => {
    const { assets, get } = await serve([style]);
    for (let n = 0; n < 2; n += 1) {
      const { headers, bytes } = await get(assets.url('page.css'), { 'accept-encoding': accepted });
      expect(headers['content-encoding']).toBe(encoding);
      expect(decode(bytes).toString()).toBe(STYLE);
      expect(headers['content-length']).toBe(String(bytes.length));
      if (encoding !== undefined) expect(bytes.length).toBeLessThan(STYLE.length / 10);
    }
  });

  it('are not compressed again if they are images', async () => {
    const read = () => Buffer.alloc(5_000);
    const { assets, get } = await serve([{ name: 'icon.png', contentType: 'image/png', read }]);
    const { headers } = await get(assets.url('icon.png'), { 'accept-encoding': 'br, gzip' });
    expect(headers['content-encoding']).toBeUndefined();
  });

  it('let other origins read only those that say so', async () => {
    const script = { name: 'frame.js', contentType: SCRIPT, read: () => 'export {};', isForEveryOrigin: true };
    const { assets, get } = await serve([style, script]);
    const { headers } = await get(assets.url('frame.js'));
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    });
  });

  it('responds with 404, which no one keeps, to other hashes and names', async () => {
    const { assets, get } = await serve([style]);
    const [, , hash = ''] = assets.url('page.css').split('/');
    const paths = [
      `/assets/${'A'.repeat(16)}/page.css`,
      `/assets/${hash}/other.css`,
      `/assets/${hash}/__proto__`,
      `/assets/${hash}/..%2F..%2Fpackage.json`,
      `/assets/${hash}`,
    ];
    for (const path of paths) {
      const { status, headers } = await get(path);
      expect({ path, status, kept: headers['cache-control'] }).toEqual({ path, status: 404, kept: 'no-store' });
    }
  });

  it('responds to HEAD with the same headers', async () => {
    const { assets, get } = await serve([style]);
    const { status, headers, bytes } = await get(assets.url('page.css'), {}, 'HEAD');
    expect({ status, length: headers['content-length'], body: bytes.length }).toEqual({
      status: 200,
      length: String(STYLE.length),
      body: 0,
    });
  });

  it('are read when they are first used, once', async () => {
    let reads = 0;
    const read = () => {
      reads += 1;
      return STYLE;
    };
    const { assets, get } = await serve([{ ...style, read }]);
    expect(reads).toBe(0);
    await get(assets.url('page.css'));
    expect(reads).toBe(1);
  });

  it('import each other by their names on disk', async () => {
    const [beside, other] = ['./part.js', './other.js'];
    const main = `import { a } from '${beside}';\nimport '${other}';\nawait import('${beside}');\nimport.meta.resolve('${beside}');\n`;
    const { assets, get } = await serve([
      { name: 'main.js', contentType: SCRIPT, read: () => main },
      { name: 'part.js', contentType: SCRIPT, read: () => 'export const a = 1;' },
    ]);
    const { bytes } = await get(assets.url('main.js'));
    const part = assets.url('part.js');
    expect(bytes.toString()).toBe(main.replaceAll(beside, part));
    // A change of what it imports is a change of the importing file too.
    const changed = createAssets([
      { name: 'main.js', contentType: SCRIPT, read: () => main },
      { name: 'part.js', contentType: SCRIPT, read: () => 'export const a = 2;' },
    ]);
    expect(changed.url('main.js')).not.toBe(assets.url('main.js'));
  });

  it('refuse to import each other in a circle, and names that do not exist', () => {
    const assets = createAssets([
      { name: 'a.js', contentType: SCRIPT, read: () => `import './b.js';` },
      { name: 'b.js', contentType: SCRIPT, read: () => `import './a.js';` },
    ]);
    expect(() => assets.url('a.js')).toThrow('The asset `a.js` imports itself, through a.js, b.js.');
    expect(() => assets.url('c.js')).toThrow('There is no asset `c.js`.');
  });
});

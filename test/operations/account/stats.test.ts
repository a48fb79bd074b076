import { Postrider } from '@postrider/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runInProcess } from '../../cli/run-in-process.ts';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { readStats, sendAll } from '../../stats/counted.ts';

const rates = (deliveryRate: number, bounceRate: number, complaintRate: number) => ({
  ...{ deliveryRate, bounceRate, complaintRate },
});
const NOTHING = { sent: 0, delivered: 0, bounced: 0, complained: 0, ...rates(0, 0, 0) };
const to = (name: string) => ({ to: `${name}@sandbox.test`, text: 'Hi' });

describe('GET /account/stats', () => {
  let server: TestApp;
  /** An account with eight messages of every end. */
  let key: string;
  beforeAll(async () => {
    server = await startTestApp();
    key = (await server.newAccount('Full')).key;
    await sendAll(
      server,
      [
        { ...to('delivered'), tags: ['receipt', 'eu'], channel: 'sdk', source: 'agent', agent_name: 'Clerk' },
        { ...to('delivered'), tags: ['receipt'], source: 'agent', agent_name: 'Clerk' },
        { ...to('delivered+x'), source: 'automation', agent_name: 'Cron' },
        { ...to('deferred'), channel: 'mcp', source: 'backend' },
        { ...to('bounced'), tags: ['Receipt'] },
        { ...to('soft'), tags: ['news'] },
        { ...to('blocked'), tags: ['news'] },
        { ...to('complained'), tags: ['news'], source: 'system' },
      ],
      key,
    );
  });
  afterAll(() => server.close());

  it('returns the base data alone unless more is requested', {
    tags: ['statistics.base', 'statistics.base-fields', 'account-and-statistics.percent', 'service.statistics'],
  }, async () => {
    expect(await readStats(server, '', key)).toEqual({
      window: '14d',
      ...{ sent: 8, delivered: 5, bounced: 3, complained: 1 },
      ...rates(62.5, 37.5, 12.5),
    });
  });

  it('returns zeros, and does not divide by them, for an account that has sent nothing', {
    tags: ['statistics.base-fields'],
  }, async () => {
    const fresh = await server.newAccount();
    await server.call('PATCH', '/account', { key: fresh.key, body: { trackOpens: true, trackClicks: true } });
    const stats = await readStats(server, '?provenance=true&by_tag=true&bounces=true&engagement=true', fresh.key);
    const each = (name: string, values: readonly string[]) => values.map((value) => ({ [name]: value, ...NOTHING }));
    expect(stats).toEqual({
      window: '14d',
      ...NOTHING,
      byTag: [],
      bounces: { hard: 0, soft: 0, block: 0, spam: 0, unknown: 0 },
      opens: { tracked: 0, opened: 0, openRate: 0 },
      clicks: { tracked: 0, clicked: 0, clickRate: 0 },
      byChannel: each('channel', ['api', 'sdk', 'mcp', 'smtp']),
      bySource: each('source', ['agent', 'backend', 'automation', 'system']),
      topAgents: [],
    });
  });

  it('gives each tag its own rates against its own sends, the most used first', {
    tags: ['statistics.by-tag', 'statistics.by-tag-fields'],
  }, async () => {
    const { byTag, ...rest } = await readStats(server, '?by_tag=true', key);
    expect(byTag).toEqual([
      { tag: 'news', sent: 3, delivered: 1, bounced: 2, complained: 1, bounceRate: 66.67, complaintRate: 33.33 },
      { tag: 'receipt', sent: 3, delivered: 2, bounced: 1, complained: 0, bounceRate: 33.33, complaintRate: 0 },
      { tag: 'eu', sent: 1, delivered: 1, bounced: 0, complained: 0, bounceRate: 0, complaintRate: 0 },
    ]);
    expect(Object.keys(rest)).toEqual(Object.keys(await readStats(server, '', key)));
  });

  it('splits bounces by their kind', { tags: ['statistics.bounces', 'statistics.bounces-fields'] }, async () => {
    const { bounces } = await readStats(server, '?bounces=true', key);
    expect(bounces).toEqual({ hard: 1, soft: 1, block: 1, spam: 1, unknown: 0 });
  });

  it('lists every channel and source, and the agents that sent most', {
    tags: ['statistics.provenance', 'statistics.provenance-fields', 'account-and-statistics.provenance'],
  }, async () => {
    const { byChannel, bySource, topAgents } = await readStats(server, '?provenance=true', key);
    expect(byChannel).toEqual([
      { channel: 'api', sent: 6, delivered: 3, bounced: 3, complained: 1, ...rates(50, 50, 16.67) },
      { channel: 'sdk', sent: 1, delivered: 1, bounced: 0, complained: 0, ...rates(100, 0, 0) },
      { channel: 'mcp', sent: 1, delivered: 1, bounced: 0, complained: 0, ...rates(100, 0, 0) },
      { channel: 'smtp', ...NOTHING },
    ]);
    expect(bySource).toEqual([
      { source: 'agent', sent: 2, delivered: 2, bounced: 0, complained: 0, ...rates(100, 0, 0) },
      { source: 'backend', sent: 4, delivered: 1, bounced: 3, complained: 0, ...rates(25, 75, 0) },
      { source: 'automation', sent: 1, delivered: 1, bounced: 0, complained: 0, ...rates(100, 0, 0) },
      { source: 'system', sent: 1, delivered: 1, bounced: 0, complained: 1, ...rates(100, 0, 100) },
    ]);
    expect(topAgents).toEqual([
      { agentName: 'Clerk', sent: 2, delivered: 2, bounced: 0, complained: 0, ...rates(100, 0, 0) },
      { agentName: 'Cron', sent: 1, delivered: 1, bounced: 0, complained: 0, ...rates(100, 0, 0) },
    ]);
  });

  it('names ten agents at most, those that sent most first', { tags: ['statistics.provenance-fields'] }, async () => {
    const busy = await server.newAccount('Busy');
    const names = Array.from({ length: 12 }, (_, n) => `agent ${String(n).padStart(2, '0')}`);
    const sends = names.flatMap((name, n) =>
      Array.from({ length: 1 + (n % 3) }, () => ({ ...to('delivered'), agent_name: name })),
    );
    await sendAll(server, sends, busy.key);
    const { topAgents } = await readStats(server, '?provenance=true', busy.key);
    const sent = topAgents.map((row: { agentName: string; sent: number }) => [row.agentName, row.sent]);
    const ofThird = (rest: number) => names.filter((_, n) => n % 3 === rest).map((name) => [name, rest + 1]);
    expect(sent).toEqual([...ofThird(2), ...ofThird(1), ...ofThird(0).slice(0, 2)]);
  });

  it('accepts only `true` and `false` as booleans', {
    tags: ['statistics.query', 'contract-shape.query-booleans'],
  }, async () => {
    const all = await server.call(
      'GET',
      '/account/stats?provenance=false&by_tag=false&bounces=false&engagement=false',
      { key },
    );
    expect(all.body).toEqual(await readStats(server, '', key));
    for (const name of ['provenance', 'by_tag', 'bounces', 'engagement']) {
      for (const wrong of ['1', 'yes', 'TRUE', '', 'True']) {
        expectInvalid(await server.call('GET', `/account/stats?${name}=${wrong}`, { key }), name);
      }
    }
    expectInvalid(await server.call('GET', '/account/stats?bounces=true&bounces=true', { key }), 'bounces');
    expectInvalid(await server.call('GET', '/account/stats?byTag=true', { key }), ['byTag', 'unknown_field']);
  });

  it.each(['/account/stats', '/account/volume'])(
    'accepts a window of 1 to 90 days at %s, and rejects more as too large',
    {
      tags: [
        'statistics.window-too-large',
        'statistics.volume-window',
        'limits.volume-window',
        'contract-errors.422-window',
      ],
    },
    async (path) => {
      for (const window of ['1d', '14d', '90d']) {
        expect((await server.call('GET', `${path}?window=${window}`, { key })).status).toBe(200);
      }
      for (const window of ['91d', '365d', '1000000000000d']) {
        expectProblem(await server.call('GET', `${path}?window=${window}`, { key }), 422, 'window_too_large');
      }
      for (const wrong of ['0d', '-1d', '14', 'd', '14D', '2w', '1.5d', '', '014d', '14d%20', `${'9'.repeat(40)}d`]) {
        expectInvalid(await server.call('GET', `${path}?window=${wrong}`, { key }), 'window');
      }
    },
  );

  it('needs stats:read, and covers the calling key’s account alone', async () => {
    const [reader, other] = [
      await server.newKey({ scopes: ['stats:read'] }),
      await server.newKey({ scopes: ['account:read'] }),
    ];
    for (const path of ['/account/stats', '/account/volume']) {
      expect((await server.call('GET', path, { key: reader })).status).toBe(200);
      expectProblem(await server.call('GET', path, { key: other }), 403, 'missing_scope');
      expectProblem(await server.call('GET', path, { key: null }), 401, 'missing_key');
    }
    expect((await readStats(server, '', reader)).sent).toBe(0);
  });

  it('is the same over the SDK and the CLI, under /v1 too', {
    tags: ['contract-surfaces.sdk-statistics'],
  }, async () => {
    const { account } = new Postrider({ apiKey: key, baseUrl: server.baseUrl });
    const expected = await readStats(server, '?window=30d&by_tag=true&bounces=true&provenance=true', key);
    expect(await account.stats({ window: '30d', by_tag: true, bounces: true, provenance: true })).toEqual(expected);
    const path = '/v1/account/stats?window=30d&by_tag=true&bounces=true&provenance=true';
    expect((await server.call('GET', path, { key })).body).toEqual(expected);
    const env = { POSTRIDER_API_KEY: key, POSTRIDER_BASE_URL: server.baseUrl };
    const flags = ['--window', '30d', '--by-tag', '--bounces', '--provenance', '--json'];
    const run = await runInProcess(['account', 'stats', ...flags], { env });
    expect(JSON.parse(run.stdout)).toEqual(expected);
  });
});

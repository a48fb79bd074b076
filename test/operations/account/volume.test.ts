import { Postrider } from '@postrider/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { countAll, readStats, sendAll } from '../../stats/counted.ts';

const DAY_MS = 86_400_000;
const NOTHING = { sent: 0, delivered: 0, bounced: 0, complained: 0, opened: 0, clicked: 0 };
const to = (name: string) => ({ to: `${name}@sandbox.test`, html: '<p>Hi</p>' });

describe('GET /account/volume', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  const day = (ago: number) => new Date(server.clock.now().getTime() - ago * DAY_MS).toISOString().slice(0, 10);
  const volume = async (query = '') => {
    await countAll(server);
    return (await server.call('GET', `/account/volume${query}`)).body;
  };

  it('is an array of 14 days of zeros, oldest first and ending with today, when nothing was sent', {
    tags: ['statistics.volume', 'statistics.volume-item', 'statistics.volume-window'],
  }, async () => {
    const days = Array.from({ length: 14 }, (_, n) => ({ date: day(13 - n), ...NOTHING }));
    expect(await volume()).toEqual(days);
    expect(await volume('?window=1d')).toEqual(days.slice(-1));
    expect(await volume('?window=90d')).toHaveLength(90);
  });

  it('counts a message on the UTC day of its acceptance, within the window and not beyond it', {
    tags: ['statistics.volume-item', 'statistics.base-fields'],
  }, async () => {
    await sendAll(server, [to('delivered'), to('bounced')]);
    server.clock.advance(DAY_MS);
    await sendAll(server, [to('complained')]);
    server.clock.advance(12 * DAY_MS);
    const first = { date: day(13), ...NOTHING, sent: 2, delivered: 1, bounced: 1 };
    const second = { date: day(12), ...NOTHING, sent: 1, delivered: 1, complained: 1 };
    expect((await volume()).slice(0, 3)).toEqual([first, second, { date: day(11), ...NOTHING }]);
    expect((await readStats(server)).sent).toBe(3);
    server.clock.advance(DAY_MS);
    expect((await volume())[0]).toEqual(second);
    expect((await readStats(server)).sent).toBe(1);
    expect((await readStats(server, '?window=15d')).sent).toBe(3);
  });

  it('is the same over the SDK', { tags: ['contract-surfaces.sdk-statistics'] }, async () => {
    const { account } = new Postrider({ apiKey: server.key, baseUrl: server.baseUrl });
    expect(await account.volume({ window: '30d' })).toEqual(await volume('?window=30d'));
  });
});

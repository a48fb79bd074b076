import { Postrider } from '@postrider/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runInProcess } from '../../cli/run-in-process.ts';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
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

  describe('by a property', () => {
    let key: string;
    beforeAll(async () => {
      key = (await server.newAccount('Grouped')).key;
      const sends = [
        { ...to('delivered'), tags: ['receipt', 'eu'], channel: 'sdk', source: 'agent', agent_name: 'Clerk' },
        { ...to('bounced'), tags: ['Receipt'], source: 'agent', agent_name: 'Clerk' },
      ];
      await sendAll(server, sends, key);
      server.clock.advance(DAY_MS);
      await sendAll(server, [{ ...to('complained'), tags: ['news'] }, to('delivered')], key);
    });

    const grouped = async (query: string) => {
      await countAll(server);
      return await server.call('GET', `/account/volume?window=2d&${query}`, { key });
    };
    const none = { ...NOTHING };

    it('adds the values that sent most to each day, the same ones on every day', {
      tags: ['statistics.volume-by'],
    }, async () => {
      const { status, body } = await grouped('by=tag');
      const receipt = { value: 'receipt', ...NOTHING };
      const groups = [receipt, { value: 'eu', ...NOTHING }, { value: 'news', ...NOTHING }];
      expect([status, body]).toEqual([
        200,
        [
          {
            ...{ date: day(1), ...NOTHING, sent: 2, delivered: 1, bounced: 1, other: null },
            groups: [
              { ...receipt, sent: 2, delivered: 1, bounced: 1 },
              { ...groups[1], sent: 1, delivered: 1 },
              groups[2],
            ],
          },
          {
            ...{ date: day(0), ...NOTHING, sent: 2, delivered: 2, complained: 1, other: null },
            groups: [groups[0], groups[1], { ...groups[2], sent: 1, delivered: 1, complained: 1 }],
          },
        ],
      ]);
    });

    it('adds the rest by channel, source and agent, so that a day adds up', async () => {
      const byAgent = (await grouped('by=agent')).body;
      expect(byAgent[0]).toMatchObject({ groups: [{ value: 'Clerk', sent: 2, bounced: 1 }], other: none });
      expect(byAgent[1]).toMatchObject({ groups: [{ value: 'Clerk', sent: 0 }], other: { sent: 2, complained: 1 } });
      const byChannel = (await grouped('by=channel')).body;
      expect(byChannel[0].groups.map(({ value, sent }: { value: string; sent: number }) => [value, sent])).toEqual([
        ['api', 1],
        ['sdk', 1],
      ]);
      expect(byChannel.map(({ other }: { other: object }) => other)).toEqual([none, none]);
      expect((await grouped('by=source')).body[1].groups[1]).toMatchObject({ value: 'backend', sent: 2, delivered: 2 });
    });

    it('counts one value alone, in any case for tags, and leaves the points plain', async () => {
      const one = { ...NOTHING, sent: 2, delivered: 1, bounced: 1 };
      expect((await grouped('by=tag&value=RECEIPT')).body).toEqual([
        { date: day(1), ...one },
        { date: day(0), ...NOTHING },
      ]);
      expect((await grouped('by=agent&value=Clerk')).body[0]).toEqual({ date: day(1), ...one });
      expect((await grouped('by=tag&value=unknown')).body[0]).toEqual({ date: day(1), ...NOTHING });
      expectInvalid(await grouped('value=receipt'), ['value', 'required']);
      expectInvalid(await grouped('by=channel&value=fax'), ['value', 'invalid_value']);
      expectInvalid(await grouped('by=subject'), 'by');
      expectProblem(await server.call('GET', '/account/volume?window=91d&by=tag'), 422, 'window_too_large');
    });

    it('shows the totals of the values in a terminal', async () => {
      const { stdout } = await runInProcess(['account', 'volume', '--window', '2d', '--by', 'tag'], {
        env: { POSTRIDER_API_KEY: key, POSTRIDER_BASE_URL: server.baseUrl, NO_COLOR: '1' },
        columns: 100,
      });
      expect(stdout).toMatch(/by value[\s\S]*receipt +2[\s\S]*eu +1[\s\S]*news +1/);
    });

    it('limits the values to ten, over spans of many days too, and shows nothing of other accounts', async () => {
      const busy = (await server.newAccount('Busy tags')).key;
      const names = Array.from({ length: 12 }, (_, n) => `t${String(n).padStart(2, '0')}`);
      const sends = names.flatMap((name, n) =>
        Array.from({ length: 1 + (n % 3) }, () => ({ ...to('delivered'), tags: [name], agent_name: name })),
      );
      await sendAll(server, sends, busy);
      server.clock.advance(40 * DAY_MS);
      await countAll(server);
      const of = async (query: string) =>
        (await server.call('GET', `/account/volume?window=90d&${query}`, { key: busy })).body;
      const days = await of('by=agent');
      const ofThird = (rest: number) => names.filter((_, n) => n % 3 === rest);
      const values = [...ofThird(2), ...ofThird(1), ...ofThird(0).slice(0, 2)];
      const sentDay = days.find(({ sent }: { sent: number }) => sent > 0);
      expect(sentDay.groups.map(({ value }: { value: string }) => value)).toEqual(values);
      expect(sentDay.other).toMatchObject({ sent: 2, delivered: 2 });
      expect(days).toHaveLength(90);
      expect((await of('by=tag')).every(({ groups }: { groups: unknown[] }) => groups.length === 10)).toBe(true);
    });
  });

  it('is the same over the SDK', { tags: ['contract-surfaces.sdk-statistics'] }, async () => {
    const { account } = new Postrider({ apiKey: server.key, baseUrl: server.baseUrl });
    expect(await account.volume({ window: '30d' })).toEqual(await volume('?window=30d'));
  });
});

import { describe, expect, it } from 'vitest';
import { runAgainst, type Terminal } from './run-in-process.ts';

const base = (sent: number, delivered: number, bounced: number, complained: number) => ({
  ...{ sent, delivered, bounced, complained },
  ...{ deliveryRate: 90, bounceRate: 8.5, complaintRate: 0.05 },
});
const STATS = {
  window: '14d',
  ...base(2_000, 1_800, 170, 1),
  byTag: [
    { tag: 'receipt', sent: 1_200, delivered: 1_200, bounced: 0, complained: 0, bounceRate: 0, complaintRate: 0 },
    { tag: 'ne\u001b[31mws', sent: 1, delivered: 0, bounced: 1, complained: 0, bounceRate: 100, complaintRate: 0 },
  ],
  bounces: { hard: 150, soft: 20, block: 0, spam: 1, unknown: 0 },
  opens: { tracked: 1_000, opened: 250, openRate: 25 },
  bySource: [{ source: 'agent', ...base(2_000, 1_800, 170, 1) }],
  topAgents: [],
};
const PEOPLE: Terminal = { columns: 100, env: { NO_COLOR: '1' } };

describe('postrider account', () => {
  const answer = (body: unknown) => ({ status: 200, body });

  it('stats draws the outcomes and each requested block as bars', async () => {
    const { code, stdout } = await runAgainst([answer(STATS)], ['account', 'stats', '--by-tag'], PEOPLE);
    expect(code).toBe(0);
    expect(stdout).toBe(`14D         MESSAGES     RATE
sent           2,000           ████████████████████████
delivered      1,800  90.00 %  █████████████████████▋
bounced          170   8.50 %  ██
complained         1   0.05 %  ▏

by tag
  TAG       SENT   BOUNCED  COMPLAINED
  receipt  1,200    0.00 %      0.00 %  ████████████████████████
  news         1  100.00 %      0.00 %  ▏

bounces
  KIND     MESSAGES
  hard          150  ████████████████████████
  soft           20  ███▎
  block           0
  spam            1  ▏
  unknown         0

opens
           MESSAGES     RATE
  tracked     1,000           ████████████████████████
  opened        250  25.00 %  ██████

by source
  SOURCE   SENT  DELIVERED  BOUNCED  COMPLAINED
  agent   2,000    90.00 %   8.50 %      0.05 %  ████████████████████████
`);
  });

  it('reads the account by the name of the group alone, which still lists its subcommands', async () => {
    const account = { id: 'a1', name: 'Acme', plan: 'self_hosted' };
    const { code, stdout, received } = await runAgainst([answer(account)], ['account', '--json']);
    expect([code, JSON.parse(stdout)]).toEqual([0, account]);
    expect(received.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /account']);
    const wrong = await runAgainst([], ['account', 'statss']);
    expect([wrong.code, JSON.parse(wrong.stderr).detail]).toEqual([2, "unknown command 'statss'"]);
  });

  it('stats draws the days of the window, one character a day', async () => {
    const day = (date: string, sent: number, bounced: number) => ({
      date,
      sent,
      delivered: sent,
      bounced,
      complained: 0,
    });
    const days = [day('2026-11-19', 10, 0), day('2026-11-20', 0, 0), day('2026-11-21', 1_000, 1)];
    const { stdout, received } = await runAgainst([answer(STATS), answer(days)], ['stats', '--window', '3d'], PEOPLE);
    expect(received.map(({ url }) => url)).toEqual(['/account/stats?window=3d', '/account/volume?window=3d']);
    expect(stdout).toContain(`
by day
                MAX  2026-11-19 TO 2026-11-21 (UTC)
  sent        1,000  ▁ █
  delivered   1,000  ▁ █
  bounced         1    █
  complained      0
`);
  });

  it('stats fits a narrow terminal and drops the bars first', async () => {
    const { stdout } = await runAgainst([answer(STATS)], ['account', 'stats'], { ...PEOPLE, columns: 40 });
    for (const line of stdout.split('\n')) expect([...line].length).toBeLessThanOrEqual(40);
    expect(stdout).toContain('1,800');
    expect(stdout).not.toContain('█');
  });

  it('volume draws a bar for each day, oldest first', async () => {
    const day = (date: string, sent: number) => ({
      date,
      sent,
      delivered: sent,
      bounced: 0,
      complained: 0,
      opened: 0,
      clicked: 0,
    });
    const days = [day('2026-11-19', 10), day('2026-11-20', 0), day('2026-11-21', 1_000)];
    const { stdout, stderr } = await runAgainst([answer(days)], ['account', 'volume', '--window', '3d'], PEOPLE);
    expect(stdout.split('\n')).toEqual([
      'DATE (UTC)   SENT  DELIVERED  BOUNCED  COMPLAINED  OPENED  CLICKED',
      `2026-11-19     10         10        0           0       0        0  ▎`,
      `2026-11-20      0          0        0           0       0        0`,
      `2026-11-21  1,000      1,000        0           0       0        0  ${'█'.repeat(24)}`,
      '',
    ]);
    expect(stderr).toBe('1,010 messages sent in 3 days.\n');
  });

  it('volume --json is the bare array', async () => {
    const { stdout } = await runAgainst([answer([])], ['account', 'volume', '--json'], PEOPLE);
    expect(JSON.parse(stdout)).toEqual([]);
  });

  it('passes its switches on in the query', async () => {
    const argv = ['account', 'stats', '--window', '30d', '--engagement', '--no-bounces', '--json'];
    const { received } = await runAgainst([answer(STATS)], argv);
    expect(received[0]?.url).toBe('/account/stats?window=30d&bounces=false&engagement=true');
  });
});

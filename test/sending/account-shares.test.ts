import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AccountShares, createAccountShares } from '../../packages/server/src/sending/account-shares.ts';
import { DEFAULT_SEND, startTestApp, type TestApp, type TestResponse } from '../harness/test-app.ts';

const ROOM = { items: 10_000, bytes: 1_000_000 };

/** Requests of accounts that all work at a clock that only the test moves. */
function startShares(room = ROOM) {
  let nowMs = 0;
  const shares = createAccountShares({ room, nowMs: () => nowMs });
  const open = new Map<string, (() => void)[]>();
  const started = new Map<string, number>();
  const of = (account: string) => open.get(account) ?? [];
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    open: (account: string) => of(account).length,
    started: (account: string) => started.get(account) ?? 0,
    failWaiting: async (error: Error) => {
      shares.failWaiting(error);
      await settle();
    },
    wait: async (ms: number) => {
      nowMs += ms;
      await settle();
    },
    /** Starts requests, and resolves when those that need not wait have started. */
    start: async (account: string, count: number, messages = 1, bytes = 10) => {
      const refused: unknown[] = [];
      for (let n = 0; n < count; n += 1) {
        const onStarted = (end: () => void) => {
          open.set(account, [...of(account), end]);
          started.set(account, (started.get(account) ?? 0) + 1);
        };
        const begin = async () => await shares.start(account, messages, () => bytes);
        begin().then(onStarted, (error: unknown) => refused.push(error));
      }
      await settle();
      return refused;
    },
    end: async (account: string, count: number) => {
      for (const end of of(account).splice(0, count)) end();
      await settle();
    },
  };
}

describe('the shares of accounts', () => {
  it('let an account that is alone fill more than a whole statement', async () => {
    const shares = startShares();
    await shares.start('a', 200);
    expect(shares.open('a')).toBe(128);
    await shares.end('a', 100);
    expect(shares.open('a')).toBe(100);
    await shares.end('a', 100);
    expect(shares.open('a')).toBe(0);
  });

  it('let an account that is alone have three batches in progress', async () => {
    const shares = startShares();
    await shares.start('a', 10, 100);
    expect(shares.open('a')).toBe(3);
    await shares.end('a', 1);
    expect(shares.open('a')).toBe(3);
  });

  it('let every other account start at once beside one that floods', async () => {
    const shares = startShares();
    await shares.start('flood', 500);
    for (const account of ['b', 'c', 'd']) {
      await shares.start(account, 8);
      expect(shares.open(account)).toBe(8);
    }
  });

  it('give an account that floods as many messages as the others have on average', async () => {
    const shares = startShares();
    await shares.start('flood', 1_000);
    const others = ['b', 'c', 'd', 'e'];
    for (const account of others) await shares.start(account, 20);
    const before = shares.started('flood');
    for (let round = 0; round < 40; round += 1) {
      await shares.wait(10);
      await shares.end('flood', shares.open('flood'));
      for (const account of others) {
        await shares.end(account, 10);
        await shares.start(account, 10);
      }
    }
    const ofOthers = shares.started('b');
    const ofFlood = shares.started('flood') - before;
    expect(ofOthers).toBe(420);
    expect(ofFlood).toBeGreaterThan(0.75 * ofOthers);
    expect(ofFlood).toBeLessThan(1.25 * ofOthers);
  });

  it('count each message of a batch', async () => {
    const shares = startShares();
    await shares.start('b', 20);
    await shares.start('c', 20);
    await shares.start('flood', 5, 100);
    expect(shares.open('flood')).toBe(1);
    await shares.end('flood', 1);
    expect(shares.open('flood')).toBe(0);
    for (let round = 0; round < 8; round += 1) {
      for (const account of ['b', 'c']) {
        await shares.start(account, 10);
        await shares.end(account, 10);
      }
    }
    expect(shares.open('flood')).toBe(1);
  });

  it('let a batch that is ahead start only in room that the others left for some milliseconds', async () => {
    const shares = startShares();
    await shares.start('b', 9);
    await shares.start('flood', 2, 200);
    await shares.end('flood', 1);
    for (let round = 0; round < 3; round += 1) {
      await shares.end('b', 9);
      await shares.wait(2);
      await shares.start('b', 9);
    }
    expect(shares.started('flood')).toBe(1);
    await shares.end('b', 9);
    await shares.wait(7);
    await expect.poll(() => shares.started('flood')).toBe(2);
  });

  it('let single sends that are ahead start only in room that the others left for some milliseconds', async () => {
    const shares = startShares();
    await shares.start('b', 30);
    await shares.start('flood', 200);
    const before = shares.started('flood');
    await shares.end('flood', shares.open('flood'));
    await shares.end('b', 30);
    await shares.start('flood', 100);
    expect(shares.started('flood')).toBe(before);
    await shares.wait(7);
    await expect.poll(() => shares.started('flood')).toBe(before + 32);
  });

  it('keep the lead of an account that pauses, so that bursts do not give it more than its share', async () => {
    const shares = startShares();
    await shares.start('b', 20);
    await shares.start('c', 20);
    await shares.start('flood', 1, 300);
    await shares.end('flood', 1);
    for (let n = 0; n < 2; n += 1) {
      for (const account of ['b', 'c']) {
        await shares.end(account, 20);
        await shares.start(account, 20);
      }
      await shares.wait(90);
    }
    await shares.start('flood', 1, 100);
    expect(shares.started('flood')).toBe(1);
  });

  it('let an account continue when the others are idle or only wait for something outside', async () => {
    const shares = startShares();
    await shares.start('slow', 40);
    await shares.start('a', 300);
    const started = shares.open('a');
    expect(started).toBe(129);
    await shares.wait(300);
    await expect.poll(() => shares.open('a')).toBe(started + 128);
  });

  it('reject what exceeds the room, and keep half of what is free for others', async () => {
    const shares = startShares({ items: 300, bytes: 1_000_000 });
    const refused = await shares.start('flood', 400);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]).toMatchObject({ code: 'unavailable' });
    expect(await shares.start('b', 80)).toEqual([]);
    const large = startShares({ items: 300, bytes: 1_000 });
    await large.start('flood', 128);
    expect(await large.start('flood', 4, 1, 600)).toHaveLength(3);
  });
});

describe('requests that wait for long', () => {
  it('start every 250 ms at the latest, also a batch beside many singles that never leave room for it', async () => {
    const shares = startShares();
    await shares.start('other', 20);
    await shares.start('ahead', 1, 100);
    await shares.start('ahead', 2, 100);
    const before = shares.started('ahead');
    expect(before).toBeLessThan(3);
    await shares.wait(100);
    await shares.end('other', 1);
    await shares.start('other', 1);
    expect(shares.started('ahead')).toBe(before);
    await shares.wait(200);
    await expect.poll(() => shares.started('ahead')).toBeGreaterThan(before);
  });

  /** Passes time while another account sends and gets responses. */
  const passBeside = async (shares: ReturnType<typeof startShares>, times: number) => {
    for (let n = 0; n < times; n += 1) {
      await shares.end('other', 10);
      await shares.start('other', 10);
      await shares.wait(90);
    }
  };

  it('start at most 400 messages a second without room: a batch of 100 every 250 ms', async () => {
    const shares = startShares();
    await shares.start('other', 10);
    await shares.start('ahead', 30, 100);
    expect(shares.started('ahead')).toBe(2);
    await passBeside(shares, 6);
    await expect.poll(() => shares.started('ahead')).toBe(3);
    await passBeside(shares, 2);
    await pause(150); // Several looks.
    expect(shares.started('ahead')).toBe(3);
    await passBeside(shares, 1);
    await expect.poll(() => shares.started('ahead')).toBe(4);
  });

  it('start up to 20 single sends at each look', async () => {
    const shares = startShares();
    await shares.start('other', 40);
    await shares.start('ahead', 1, 300);
    await shares.start('ahead', 100);
    expect(shares.started('ahead')).toBe(1);
    await shares.wait(90);
    for (let n = 0; n < 8; n += 1) {
      await shares.end('other', 10);
      await shares.start('other', 10);
      await shares.wait(90);
    }
    await expect.poll(() => shares.started('ahead')).toBeGreaterThan(15);
    expect(shares.started('ahead')).toBeLessThan(30);
  });

  it('are refused after ten seconds, when their clients may have stopped waiting', async () => {
    const shares = startShares();
    const refused = await shares.start('a', 400);
    await shares.wait(9_900);
    await pause(60);
    expect(refused).toEqual([]);
    await shares.wait(200);
    await expect.poll(() => refused.length).toBeGreaterThan(100);
    expect(refused[0]).toMatchObject({ code: 'unavailable' });
  });

  it('fail together when the database does not respond', async () => {
    const shares = startShares();
    const refused = await shares.start('a', 400);
    expect(shares.started('a')).toBe(128);
    const silence = new Error('silent');
    await shares.failWaiting(silence);
    expect(refused).toHaveLength(272);
    expect(new Set(refused)).toEqual(new Set([silence]));
  });
});

describe('requests that send', { timeout: 60_000 }, () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
  });
  afterAll(() => server.close());

  const replace = (shares: AccountShares) => Object.assign(server.app.services.sending, { shares });

  it('are validated and written only as far as the share of their account', async () => {
    const { acceptQueue } = server.app.services.sending;
    let [batches, most] = [0, 0];
    const acceptBatch: typeof acceptQueue.acceptBatch = async (sends) => {
      batches += 1;
      most = Math.max(most, batches);
      try {
        return await acceptQueue.acceptBatch(sends);
      } finally {
        batches -= 1;
      }
    };
    Object.assign(server.app.services.sending, { acceptQueue: { ...acceptQueue, acceptBatch } });
    const emails = Array(20).fill(DEFAULT_SEND);
    const responses = await Promise.all(
      Array.from({ length: 12 }, () => server.call('POST', '/emails/batch', { body: { emails } })),
    );
    Object.assign(server.app.services.sending, { acceptQueue });
    expect(responses.map(({ body }) => body.accepted)).toEqual(Array(12).fill(20));
    // Six batches of 20 messages are fewer than 128.
    expect(most).toBeLessThanOrEqual(6);
  });

  it('free their share when they fail', async () => {
    const ended: string[] = [];
    replace({ failWaiting: () => {}, start: async (_account, messages) => () => ended.push(`ended ${messages}`) });
    await server.send({ to: 'nobody' });
    await server.call('POST', '/emails/batch', { body: { emails: [{}, {}] } });
    await server.call('POST', '/emails/batch', { body: {} });
    expect(ended).toEqual(['ended 1', 'ended 2', 'ended 1']);
  });

  it('get 503 with retry-after if too many of their account wait', async () => {
    const shares = createAccountShares({ room: { items: 4, bytes: 1_000_000 }, nowMs: () => 0 });
    replace(shares);
    const end = await shares.start(server.accountId, 128, () => 0);
    const pending = Array.from({ length: 10 }, () => server.send());
    const refused: TestResponse[] = [];
    for (const response of pending) void response.then((one) => one.status === 503 && refused.push(one));
    await expect.poll(() => refused.length).toBe(6);
    for (const { headers, body } of refused) {
      expect(body).toMatchObject({ code: 'unavailable', retryable: true });
      expect(headers.get('retry-after')).toBe('1');
    }
    end();
    const responses = await Promise.all(pending);
    expect(responses.filter(({ status }) => status === 202)).toHaveLength(4);
  });
});

import { describe, expect, it } from 'vitest';
import { exactShareOf, type ProcessPlace } from '../../packages/server/src/process-share.ts';
import {
  createDestinationQueues,
  type QueueSlot,
  type SendPermit,
} from '../../packages/server/src/routing/destination-queues.ts';
import { createQueueRegistry } from '../../packages/server/src/routing/queue-registry.ts';
import { createFakeClock } from '../harness/fake-clock.ts';

function makeQueues(
  options: { groups?: Readonly<Record<string, string>>; maxReserved?: number; place?: ProcessPlace } = {},
) {
  const clock = createFakeClock();
  let rooms = 0;
  const queues = createDestinationQueues({
    clock,
    groupOf: async (domain) => {
      if (domain === 'unknown.example') throw new Error('the DNS is away');
      return options.groups?.[domain] ?? domain;
    },
    maxReserved: options.maxReserved ?? 1_000,
    ...(options.place === undefined ? {} : { place: options.place }),
    random: () => 0.5,
    onRoom: () => {
      rooms += 1;
    },
  });
  const reserve = (name: string): QueueSlot => {
    const place = queues.reserve(name, false);
    if ('requeueAt' in place) throw new Error(`${name} was requeued`);
    return place;
  };
  const isRequeued = (name: string) => 'requeueAt' in queues.reserve(name, false);
  const roomOf = (name: string) => {
    const { named, others } = queues.capacity();
    return named.find(({ d }) => d === name)?.n ?? others;
  };
  return { queues, clock, reserve, isRequeued, roomOf, reportedRooms: () => rooms };
}

type Going = Extract<SendPermit, { go: true }>;

async function go(slot: QueueSlot): Promise<Going> {
  const permit = await slot.acquire(0);
  if (!permit.go) throw new Error(`it was put off: ${permit.reason}`);
  return permit;
}

/** Whether a promise has resolved by now. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending');
  return (await Promise.race([promise, new Promise((resolve) => setImmediate(() => resolve(pending)))])) !== pending;
}

describe('the queue of a destination', () => {
  it('admits only the share of its process, even if the destination responds well', async () => {
    const place = [1, 2, 3, 4]
      .map((process) => ({ process, processes: 4 }))
      .find((one) => exactShareOf(10, one, 'a.example') === 2);
    const { reserve } = makeQueues(place === undefined ? {} : { place });
    const first = reserve('a.example');
    expect(await first.settled).toBeNull();
    for (let n = 0; n < 20; n += 1) (await go(reserve('a.example'))).release('clean', null);
    // A quarter of ten, rounded down: two of the processes have three.
    const permits = [await go(first), await go(reserve('a.example'))];
    const third = reserve('a.example').acquire(0);
    expect([permits.length, await isSettled(third)]).toEqual([2, false]);
  });

  it('is served by as many processes as the destination allows, and the others do not claim its deliveries', async () => {
    let permitted = 0;
    for (const process of [1, 2, 3]) {
      const { queues, clock, roomOf } = makeQueues({
        groups: { 'a.example': 'free.fr', 'b.example': 'free.fr' },
        place: { process, processes: 3 },
      });
      const slot = queues.reserve('a.example', false);
      if ('requeueAt' in slot) throw new Error('the group is not known yet');
      const refusal = await slot.settled;
      if (refusal === null) {
        permitted += 1;
        await go(slot);
        expect(await isSettled((queues.reserve('a.example', false) as QueueSlot).acquire(0))).toBe(false);
        continue;
      }
      // At once, so that another process can claim it.
      expect(refusal.requeueAt <= clock.now()).toBe(true);
      clock.advance(60_000);
      expect(roomOf('a.example')).toBe(0);
      const last = queues.reserve('a.example', true);
      expect('requeueAt' in last && last.requeueAt <= clock.now()).toBe(true);
      expect(roomOf('a.example')).toBe(0);
      expect(queues.recordClaimed(queues.capacity(), [])).toBe(false);
    }
    expect(permitted).toBe(2);
  });

  it('admits two deliveries in parallel, and the next when one of them has ended', async () => {
    const { reserve } = makeQueues();
    const [one, two, three] = [reserve('a.example'), reserve('a.example'), reserve('a.example')];
    const [first] = [await go(one), await go(two)];
    const waiting = three.acquire(0);
    expect(await isSettled(waiting)).toBe(false);
    first.release('clean', null);
    expect((await waiting).go).toBe(true);
  });

  it('is shared by all domains of a group, and by no others', async () => {
    const { reserve } = makeQueues({ groups: { 'a.example': 'host.example', 'b.example': 'host.example' } });
    await go(reserve('a.example'));
    await go(reserve('b.example'));
    expect(await isSettled(reserve('a.example').acquire(0))).toBe(false);
    expect(await isSettled(reserve('c.example').acquire(0))).toBe(true);
  });

  it('is that of the domain itself when its group cannot be found', async () => {
    const { reserve } = makeQueues();
    expect((await reserve('unknown.example').acquire(0)).go).toBe(true);
  });

  it('puts waiting deliveries back after three failures, until the breaker ends, and says why', async () => {
    const { reserve, clock, queues, roomOf } = makeQueues();
    const slots = Array.from({ length: 5 }, () => reserve('a.example'));
    const [first, second] = [await go(slots[0] as QueueSlot), await go(slots[1] as QueueSlot)];
    const others = slots.slice(2).map((slot) => slot.acquire(0));
    first.release('unreachable', 'the connection was refused');
    second.release('unreachable', 'the connection was refused');
    const third = await others[0];
    if (third?.go !== true) throw new Error('the third was not let in');
    third.release('unreachable', 'the connection was refused');
    const last = await others[2];
    if (last?.go !== false) throw new Error('the last was let in');
    expect(last.notBefore.getTime() - clock.now().getTime()).toBeGreaterThan(29_000);
    expect(last.reason).toContain('the connection was refused');
    for (const slot of slots) slot.release();
    expect([roomOf('a.example'), roomOf('b.example')]).toEqual([0, 2]);
    expect(queues.reserve('a.example', false)).toEqual({ requeueAt: last.notBefore });
    clock.advance(30_000);
    expect(roomOf('a.example')).toBe(1);
  });

  it('accepts a delivery that is too late to be put back, and denies it a slot', async () => {
    const { reserve, queues } = makeQueues();
    for (let n = 0; n < 3; n += 1) (await go(reserve('a.example'))).release('unreachable', 'gone');
    const place = queues.reserve('a.example', true);
    expect('requeueAt' in place ? null : (await place.acquire(0)).go).toBe(false);
  });

  it('has a small room at first, and a larger one after a response', async () => {
    const { reserve, roomOf } = makeQueues();
    expect(roomOf('a.example')).toBe(2);
    const one = reserve('a.example');
    const two = reserve('a.example');
    expect(roomOf('a.example')).toBe(0);
    (await go(one)).release('clean', null);
    one.release();
    expect(roomOf('a.example')).toBe(15);
    two.release();
  });

  it('reports when there is room again for what the last claim left waiting, and only then', async () => {
    const { reserve, queues, reportedRooms } = makeQueues();
    const capacity = queues.capacity();
    const slots = [reserve('a.example'), reserve('a.example')];
    queues.recordClaimed(capacity, ['a.example', 'a.example']);
    const alone = reserve('b.example');
    queues.recordClaimed(capacity, ['b.example']);
    (await go(alone)).release('clean', null);
    alone.release();
    expect(reportedRooms()).toBe(0);
    for (const slot of slots) {
      (await go(slot)).release('clean', null);
      slot.release();
    }
    expect(reportedRooms()).toBe(1);
  });

  it('postpones what a group’s many domains bring beyond its room', async () => {
    const groups = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`d${n}.example`, 'host.example']));
    const { reserve, isRequeued } = makeQueues({ groups });
    const early = await Promise.all(Object.keys(groups).map((name) => reserve(name).settled));
    expect(early.filter((refusal) => refusal === null)).toHaveLength(4);
    expect(isRequeued('d0.example')).toBe(true);
  });

  it('reserves a quarter of the room for destinations that have responded, however many others there are', async () => {
    const { reserve, roomOf, queues } = makeQueues({ maxReserved: 1_200 });
    (await go(reserve('good.example'))).release('clean', null);
    for (let n = 0; n < 900; n += 1) await reserve(`dead${n}.example`).settled;
    expect([roomOf('new.example'), roomOf('dead0.example'), roomOf('good.example')]).toEqual([0, 0, 15]);
    expect(queues.capacity().others).toBe(0);
  });

  it('keeps slots free for destinations that have responded, however many others hang', async () => {
    const { reserve } = makeQueues();
    (await go(reserve('good.example'))).release('clean', null);
    const hanging = await Promise.all(Array.from({ length: 100 }, (_, n) => go(reserve(`dead${n}.example`))));
    const queued = reserve('dead100.example').acquire(0);
    expect(await isSettled(queued)).toBe(false);
    expect(await isSettled(reserve('good.example').acquire(0))).toBe(true);
    hanging[0]?.release('unreachable', 'timed out');
    expect(await isSettled(queued)).toBe(true);
  });

  it('puts waiting deliveries back at a stop', async () => {
    const { reserve, queues } = makeQueues();
    const slots = [reserve('a.example'), reserve('a.example'), reserve('a.example')];
    await Promise.all(slots.slice(0, 2).map(go));
    const waiting = slots[2]?.acquire(0);
    queues.close();
    expect(await waiting).toMatchObject({ go: false });
  });

  it('delays what a full group has no room for by 5 to 30 seconds', async () => {
    const { reserve, queues, clock } = makeQueues();
    for (let n = 0; n < 4; n += 1) await reserve('a.example').settled;
    const place = queues.reserve('a.example', false);
    const waitMs = 'requeueAt' in place ? place.requeueAt.getTime() - clock.now().getTime() : 0;
    expect(waitMs).toBeGreaterThan(17_000);
    expect(waitMs).toBeLessThanOrEqual(17_500);
  });

  it('asks for unnamed destinations once a second, when a full group has more domains than a claim can name', async () => {
    const names = Array.from({ length: 2_500 }, (_, n) => `d${n}.example`);
    const { reserve, queues, clock } = makeQueues({
      groups: Object.fromEntries(names.map((n) => [n, 'host.example'])),
    });
    for (const name of names) {
      const place = queues.reserve(name, false);
      if (!('requeueAt' in place)) await place.settled;
    }
    expect(queues.capacity().others).toBe(2);
    expect([queues.capacity().others, queues.capacity().others]).toEqual([0, 0]);
    const good = reserve('good.example');
    (await go(good)).release('clean', null);
    expect(queues.capacity().named).toEqual([{ d: 'good.example', n: 15 }]);
    clock.advance(1_000);
    expect(queues.capacity()).toMatchObject({ others: 2, named: { length: 2_000 } });
    expect(queues.capacity().others).toBe(0);
  });

  it('leaves slots to the next destination that has responded, however many such become slow', async () => {
    const { queues, reserve, roomOf } = makeQueues({ maxReserved: 1_500 });
    const slow = Array.from({ length: 40 }, (_, n) => `slow${n}.example`);
    for (const name of [...slow, 'good.example']) {
      for (let n = 0; n < 60; n += 1) {
        const slot = reserve(name);
        (await go(slot)).release('clean', null);
        slot.release();
      }
    }
    let all = 0;
    for (const name of slow) {
      for (let n = roomOf(name); n > 0; n -= 1, all += 1) void reserve(name).acquire(0);
    }
    expect(all).toBeGreaterThan(750);
    expect(roomOf('good.example')).toBeGreaterThanOrEqual(8);
    expect(await isSettled(reserve('good.example').acquire(0))).toBe(true);
    queues.close();
  });

  it('gives short slots to others before those that have just had one', async () => {
    const { reserve } = makeQueues();
    const hanging = await Promise.all(Array.from({ length: 99 }, (_, n) => go(reserve(`dead${n}.example`))));
    const first = await go(reserve('busy.example'));
    const next = reserve('busy.example').acquire(0);
    const other = reserve('other.example').acquire(0);
    expect([await isSettled(other), await isSettled(next)]).toEqual([false, false]);
    first.release('unknown', null);
    expect([await isSettled(other), await isSettled(next)]).toEqual([true, false]);
    hanging[0]?.release('unknown', null);
    expect(await isSettled(next)).toBe(true);
  });
});

describe('large messages', () => {
  const MB = 1024 * 1024;

  async function goLarge(slot: QueueSlot, bytes: number): Promise<Going> {
    const permit = await slot.acquire(bytes);
    if (!permit.go) throw new Error('it was put off');
    return permit;
  }

  async function prove(reserve: (name: string) => QueueSlot, ...names: readonly string[]): Promise<void> {
    for (const name of names) {
      const slot = reserve(name);
      (await go(slot)).release('clean', null);
      slot.release();
    }
  }

  it('for hanging destinations leave their room to those that have responded, and all slots to small ones', async () => {
    const { reserve } = makeQueues();
    await prove(reserve, 'good.example');
    await goLarge(reserve('dead0.example'), 20 * MB);
    for (let n = 1; n < 120; n += 1) void reserve(`dead${n}.example`).acquire(20 * MB);
    expect(await isSettled(reserve('dead1.example').acquire(0))).toBe(false);
    expect(await isSettled(reserve('new.example').acquire(0))).toBe(true);
    expect(await isSettled(reserve('good.example').acquire(20 * MB))).toBe(true);
  });

  it('of one destination leave room to others, and one larger than all the room is sent alone', async () => {
    const { reserve } = makeQueues();
    await prove(reserve, 'slow.example', 'good.example', 'huge.example');
    const huge = await goLarge(reserve('huge.example'), 100 * MB);
    const waiting = reserve('slow.example').acquire(10 * MB);
    expect(await isSettled(waiting)).toBe(false);
    huge.release('clean', null);
    expect(await isSettled(waiting)).toBe(true);
    expect(await isSettled(reserve('slow.example').acquire(10 * MB))).toBe(false);
    expect(await isSettled(reserve('good.example').acquire(10 * MB))).toBe(true);
  });

  it('for slow destinations leave their room to quick ones, until they are quick again', async () => {
    const { clock, reserve } = makeQueues();
    const names = Array.from({ length: 4 }, (_, n) => `slow${n}.example`);
    await prove(reserve, 'good.example', ...names);
    const slow = await Promise.all(names.map((name) => goLarge(reserve(name), 15 * MB)));
    clock.advance(30_000);
    for (const { release } of slow) release('clean', null);
    const again = names.map((name) => reserve(name).acquire(15 * MB));
    expect(await Promise.all(again.map(isSettled))).toEqual([true, true, false, false]);
    const good = await goLarge(reserve('good.example'), 15 * MB);
    good.release('clean', null);
    // The first two were quick this time, and then no one waits for the room of the slow ones.
    for (const permit of again.slice(0, 2)) await permit.then((going) => going.go && going.release('clean', null));
    expect(await Promise.all(again.map(isSettled))).toEqual([true, true, true, true]);
    expect(await isSettled(reserve('slow0.example').acquire(15 * MB))).toBe(true);
  });

  it('get their room in order of request, so that small ones never pass a larger one forever', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'].map((letter) => `${letter}.example`);
    const { reserve } = makeQueues();
    await prove(reserve, ...names);
    const [first] = await Promise.all(names.slice(0, 4).map((name) => goLarge(reserve(name), 14 * MB)));
    const larger = reserve('e.example').acquire(20 * MB);
    const smaller = reserve('f.example').acquire(5 * MB);
    expect([await isSettled(larger), await isSettled(smaller)]).toEqual([false, false]);
    first?.release('clean', null);
    expect([await isSettled(larger), await isSettled(smaller)]).toEqual([true, false]);
  });
});

describe('the registry of queues', () => {
  const MINUTE_MS = 60_000;

  function makeRegister() {
    const clock = createFakeClock();
    const asked: string[] = [];
    const groups = new Map<string, string>();
    const registry = createQueueRegistry(clock, async (name) => {
      asked.push(name);
      return groups.get(name) ?? name;
    });
    return { clock, asked, groups, registry };
  }

  it('drops unused destinations, also dead ones, a quarter of an hour after their breaker', async () => {
    const { clock, registry } = makeRegister();
    for (let n = 0; n < 50; n += 1) {
      const queue = await registry.destinationOf(`typo${n}.example`).found;
      queue.shape = {
        ...queue.shape,
        breaker: { endsAt: new Date(clock.now().getTime() + MINUTE_MS), pauseMs: MINUTE_MS },
      };
    }
    clock.advance(14 * MINUTE_MS);
    registry.destinationOf('new.example');
    expect([...registry.queues].length).toBeGreaterThanOrEqual(50);
    clock.advance(3 * MINUTE_MS);
    await registry.destinationOf('newer.example').found;
    expect([...registry.queues].map(({ group }) => group)).toEqual(['new.example', 'newer.example']);
    expect(registry.find('typo0.example')).toBeUndefined();
  });

  it('drops unused destinations of a group that is always in use', async () => {
    const { clock, groups, registry } = makeRegister();
    for (const name of ['one.example', 'two.example']) groups.set(name, 'host.example');
    const queue = await registry.destinationOf('one.example').found;
    await registry.destinationOf('two.example').found;
    queue.reserved = 1;
    clock.advance(11 * MINUTE_MS);
    registry.destinationOf('three.example');
    expect([...queue.names]).toEqual([]);
    expect([...registry.queues]).toContain(queue);
  });

  it('looks up the group of a destination in use again after ten minutes', async () => {
    const { clock, asked, groups, registry } = makeRegister();
    const destination = registry.destinationOf('a.example');
    expect((await destination.found).group).toBe('a.example');
    groups.set('a.example', 'host.example');
    for (let n = 0; n < 5; n += 1) {
      clock.advance(3 * MINUTE_MS);
      registry.destinationOf('a.example');
    }
    await expect.poll(() => registry.find('a.example')?.queue?.group).toBe('host.example');
    expect(asked).toEqual(['a.example', 'a.example']);
  });

  it('does not scan all destinations for each new one', async () => {
    const { registry } = makeRegister();
    for (let n = 0; n < 60_000; n += 1) registry.destinationOf(`d${n}.example`).early = 1;
    expect([...registry.unsettled]).toHaveLength(60_000);
  });
});

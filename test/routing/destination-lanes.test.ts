import { describe, expect, it } from 'vitest';
import { createDestinationLanes, type Ticket, type Turn } from '../../packages/server/src/routing/destination-lanes.ts';
import { createLaneRegister } from '../../packages/server/src/routing/lane-register.ts';
import { createFakeClock } from '../harness/fake-clock.ts';

function makeLanes(options: { groups?: Readonly<Record<string, string>>; maxHeld?: number } = {}) {
  const clock = createFakeClock();
  let rooms = 0;
  const lanes = createDestinationLanes({
    clock,
    groupOf: async (domain) => {
      if (domain === 'unknown.example') throw new Error('the DNS is away');
      return options.groups?.[domain] ?? domain;
    },
    maxHeld: options.maxHeld ?? 1_000,
    random: () => 0.5,
    onRoom: () => {
      rooms += 1;
    },
  });
  const hold = (name: string): Ticket => {
    const place = lanes.hold(name, false);
    if ('putBackUntil' in place) throw new Error(`${name} was put back`);
    return place;
  };
  const isPutBack = (name: string) => 'putBackUntil' in lanes.hold(name, false);
  const roomOf = (name: string) => {
    const { named, others } = lanes.rooms();
    return named.find(({ d }) => d === name)?.n ?? others;
  };
  return { lanes, clock, hold, isPutBack, roomOf, toldRooms: () => rooms };
}

type Going = Extract<Turn, { go: true }>;

async function go(ticket: Ticket): Promise<Going> {
  const turn = await ticket.enter(0);
  if (!turn.go) throw new Error(`it was put off: ${turn.reason}`);
  return turn;
}

/** Whether a promise has resolved by now. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending');
  return (await Promise.race([promise, new Promise((resolve) => setImmediate(() => resolve(pending)))])) !== pending;
}

describe('the lane of a destination', () => {
  it('lets two go at once, and the next when one of them is back', async () => {
    const { hold } = makeLanes();
    const [one, two, three] = [hold('a.example'), hold('a.example'), hold('a.example')];
    const [first] = [await go(one), await go(two)];
    const waiting = three.enter(0);
    expect(await isSettled(waiting)).toBe(false);
    first.leave('clean', null);
    expect((await waiting).go).toBe(true);
  });

  it('is shared by all domains of a group, and is nobody else’s', async () => {
    const { hold } = makeLanes({ groups: { 'a.example': 'host.example', 'b.example': 'host.example' } });
    await go(hold('a.example'));
    await go(hold('b.example'));
    expect(await isSettled(hold('a.example').enter(0))).toBe(false);
    expect(await isSettled(hold('c.example').enter(0))).toBe(true);
  });

  it('is that of the domain itself where its group cannot be found', async () => {
    const { hold } = makeLanes();
    expect((await hold('unknown.example').enter(0)).go).toBe(true);
  });

  it('puts back who waits when nobody answers three times, until the breaker ends, and says why', async () => {
    const { hold, clock, lanes, roomOf } = makeLanes();
    const tickets = Array.from({ length: 5 }, () => hold('a.example'));
    const [first, second] = [await go(tickets[0] as Ticket), await go(tickets[1] as Ticket)];
    const others = tickets.slice(2).map((ticket) => ticket.enter(0));
    first.leave('unreachable', 'the connection was refused');
    second.leave('unreachable', 'the connection was refused');
    const third = await others[0];
    if (third?.go !== true) throw new Error('the third was not let in');
    third.leave('unreachable', 'the connection was refused');
    const last = await others[2];
    if (last?.go !== false) throw new Error('the last was let in');
    expect(last.notBefore.getTime() - clock.now().getTime()).toBeGreaterThan(29_000);
    expect(last.reason).toContain('the connection was refused');
    for (const ticket of tickets) ticket.release();
    expect([roomOf('a.example'), roomOf('b.example')]).toEqual([0, 2]);
    expect(lanes.hold('a.example', false)).toEqual({ putBackUntil: last.notBefore });
    clock.advance(30_000);
    expect(roomOf('a.example')).toBe(1);
  });

  it('gives a place to what is too late to be put back, which is then told that nothing goes', async () => {
    const { hold, lanes } = makeLanes();
    for (let n = 0; n < 3; n += 1) (await go(hold('a.example'))).leave('unreachable', 'gone');
    const place = lanes.hold('a.example', true);
    expect('putBackUntil' in place ? null : (await place.enter(0)).go).toBe(false);
  });

  it('has room for what may go at first, and for more ahead once somebody has answered', async () => {
    const { hold, roomOf } = makeLanes();
    expect(roomOf('a.example')).toBe(2);
    const one = hold('a.example');
    const two = hold('a.example');
    expect(roomOf('a.example')).toBe(0);
    (await go(one)).leave('clean', null);
    one.release();
    expect(roomOf('a.example')).toBe(15);
    two.release();
  });

  it('tells when there is room again for what the last claim left waiting, and only then', async () => {
    const { hold, lanes, toldRooms } = makeLanes();
    const rooms = lanes.rooms();
    const tickets = [hold('a.example'), hold('a.example')];
    lanes.noteClaimed(rooms, ['a.example', 'a.example']);
    const alone = hold('b.example');
    lanes.noteClaimed(rooms, ['b.example']);
    (await go(alone)).leave('clean', null);
    alone.release();
    expect(toldRooms()).toBe(0);
    for (const ticket of tickets) {
      (await go(ticket)).leave('clean', null);
      ticket.release();
    }
    expect(toldRooms()).toBe(1);
  });

  it('leaves to later what a group’s many domains bring beyond its room', async () => {
    const groups = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`d${n}.example`, 'host.example']));
    const { hold, isPutBack } = makeLanes({ groups });
    const early = await Promise.all(Object.keys(groups).map((name) => hold(name).settled));
    expect(early.filter((refusal) => refusal === null)).toHaveLength(4);
    expect(isPutBack('d0.example')).toBe(true);
  });

  it('leaves a quarter of what is held to destinations that have answered, however many others there are', async () => {
    const { hold, roomOf, lanes } = makeLanes({ maxHeld: 1_200 });
    (await go(hold('good.example'))).leave('clean', null);
    for (let n = 0; n < 900; n += 1) await hold(`dead${n}.example`).settled;
    expect([roomOf('new.example'), roomOf('dead0.example'), roomOf('good.example')]).toEqual([0, 0, 15]);
    expect(lanes.rooms().others).toBe(0);
  });

  it('keeps turns free for destinations that have answered, however many others hang', async () => {
    const { hold } = makeLanes();
    (await go(hold('good.example'))).leave('clean', null);
    const hanging = await Promise.all(Array.from({ length: 100 }, (_, n) => go(hold(`dead${n}.example`))));
    const queued = hold('dead100.example').enter(0);
    expect(await isSettled(queued)).toBe(false);
    expect(await isSettled(hold('good.example').enter(0))).toBe(true);
    hanging[0]?.leave('unreachable', 'timed out');
    expect(await isSettled(queued)).toBe(true);
  });

  it('puts back at a stop who still waits', async () => {
    const { hold, lanes } = makeLanes();
    const tickets = [hold('a.example'), hold('a.example'), hold('a.example')];
    await Promise.all(tickets.slice(0, 2).map(go));
    const waiting = tickets[2]?.enter(0);
    lanes.close();
    expect(await waiting).toMatchObject({ go: false });
  });

  it('makes what a full group has no room for wait for 5 to 30 seconds', async () => {
    const { hold, lanes, clock } = makeLanes();
    for (let n = 0; n < 4; n += 1) await hold('a.example').settled;
    const place = lanes.hold('a.example', false);
    const waitMs = 'putBackUntil' in place ? place.putBackUntil.getTime() - clock.now().getTime() : 0;
    expect(waitMs).toBeGreaterThan(17_000);
    expect(waitMs).toBeLessThanOrEqual(17_500);
  });

  it('brings what cannot be named once in a second, where a full group has more domains than a claim can name', async () => {
    const names = Array.from({ length: 2_500 }, (_, n) => `d${n}.example`);
    const { hold, lanes, clock } = makeLanes({ groups: Object.fromEntries(names.map((n) => [n, 'host.example'])) });
    for (const name of names) {
      const place = lanes.hold(name, false);
      if (!('putBackUntil' in place)) await place.settled;
    }
    expect(lanes.rooms().others).toBe(2);
    expect([lanes.rooms().others, lanes.rooms().others]).toEqual([0, 0]);
    const good = hold('good.example');
    (await go(good)).leave('clean', null);
    expect(lanes.rooms().named).toEqual([{ d: 'good.example', n: 15 }]);
    clock.advance(1_000);
    expect(lanes.rooms()).toMatchObject({ others: 2, named: { length: 2_000 } });
    expect(lanes.rooms().others).toBe(0);
  });

  it('leaves places to the next that has answered, however many such turn slow', async () => {
    const { lanes, hold, roomOf } = makeLanes({ maxHeld: 1_500 });
    const slow = Array.from({ length: 40 }, (_, n) => `slow${n}.example`);
    for (const name of [...slow, 'good.example']) {
      for (let n = 0; n < 60; n += 1) {
        const ticket = hold(name);
        (await go(ticket)).leave('clean', null);
        ticket.release();
      }
    }
    let all = 0;
    for (const name of slow) {
      for (let n = roomOf(name); n > 0; n -= 1, all += 1) void hold(name).enter(0);
    }
    expect(all).toBeGreaterThan(750);
    expect(roomOf('good.example')).toBeGreaterThanOrEqual(8);
    expect(await isSettled(hold('good.example').enter(0))).toBe(true);
    lanes.close();
  });

  it('gives turns that are short to others before those that have just had one', async () => {
    const { hold } = makeLanes();
    const hanging = await Promise.all(Array.from({ length: 99 }, (_, n) => go(hold(`dead${n}.example`))));
    const first = await go(hold('busy.example'));
    const next = hold('busy.example').enter(0);
    const other = hold('other.example').enter(0);
    expect([await isSettled(other), await isSettled(next)]).toEqual([false, false]);
    first.leave('unknown', null);
    expect([await isSettled(other), await isSettled(next)]).toEqual([true, false]);
    hanging[0]?.leave('unknown', null);
    expect(await isSettled(next)).toBe(true);
  });
});

describe('large messages', () => {
  const MB = 1024 * 1024;

  async function goLarge(ticket: Ticket, octets: number): Promise<Going> {
    const turn = await ticket.enter(octets);
    if (!turn.go) throw new Error('it was put off');
    return turn;
  }

  async function prove(hold: (name: string) => Ticket, ...names: readonly string[]): Promise<void> {
    for (const name of names) {
      const ticket = hold(name);
      (await go(ticket)).leave('clean', null);
      ticket.release();
    }
  }

  it('for destinations that hang leave their room to those that have answered, and all turns to small ones', async () => {
    const { hold } = makeLanes();
    await prove(hold, 'good.example');
    await goLarge(hold('dead0.example'), 20 * MB);
    for (let n = 1; n < 120; n += 1) void hold(`dead${n}.example`).enter(20 * MB);
    expect(await isSettled(hold('dead1.example').enter(0))).toBe(false);
    expect(await isSettled(hold('new.example').enter(0))).toBe(true);
    expect(await isSettled(hold('good.example').enter(20 * MB))).toBe(true);
  });

  it('of one destination leave room to others, and what is larger than all room goes alone', async () => {
    const { hold } = makeLanes();
    await prove(hold, 'slow.example', 'good.example', 'huge.example');
    const huge = await goLarge(hold('huge.example'), 100 * MB);
    const waiting = hold('slow.example').enter(10 * MB);
    expect(await isSettled(waiting)).toBe(false);
    huge.leave('clean', null);
    expect(await isSettled(waiting)).toBe(true);
    expect(await isSettled(hold('slow.example').enter(10 * MB))).toBe(false);
    expect(await isSettled(hold('good.example').enter(10 * MB))).toBe(true);
  });

  it('for destinations that were slow leave their room to quick ones, until they are quick again', async () => {
    const { clock, hold } = makeLanes();
    const names = Array.from({ length: 4 }, (_, n) => `slow${n}.example`);
    await prove(hold, 'good.example', ...names);
    const slow = await Promise.all(names.map((name) => goLarge(hold(name), 15 * MB)));
    clock.advance(30_000);
    for (const { leave } of slow) leave('clean', null);
    const again = names.map((name) => hold(name).enter(15 * MB));
    expect(await Promise.all(again.map(isSettled))).toEqual([true, true, false, false]);
    const good = await goLarge(hold('good.example'), 15 * MB);
    good.leave('clean', null);
    // The first two were quick this time, and then nobody waits for the room of the slow ones.
    for (const turn of again.slice(0, 2)) await turn.then((going) => going.go && going.leave('clean', null));
    expect(await Promise.all(again.map(isSettled))).toEqual([true, true, true, true]);
    expect(await isSettled(hold('slow0.example').enter(15 * MB))).toBe(true);
  });

  it('get their room in the order in which they asked, so that small ones never pass a larger one for ever', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'].map((letter) => `${letter}.example`);
    const { hold } = makeLanes();
    await prove(hold, ...names);
    const [first] = await Promise.all(names.slice(0, 4).map((name) => goLarge(hold(name), 14 * MB)));
    const larger = hold('e.example').enter(20 * MB);
    const smaller = hold('f.example').enter(5 * MB);
    expect([await isSettled(larger), await isSettled(smaller)]).toEqual([false, false]);
    first?.leave('clean', null);
    expect([await isSettled(larger), await isSettled(smaller)]).toEqual([true, false]);
  });
});

describe('the register of lanes', () => {
  const MINUTE_MS = 60_000;

  function makeRegister() {
    const clock = createFakeClock();
    const asked: string[] = [];
    const groups = new Map<string, string>();
    const register = createLaneRegister(clock, async (name) => {
      asked.push(name);
      return groups.get(name) ?? name;
    });
    return { clock, asked, groups, register };
  }

  it('forgets destinations that nobody uses, also those that were dead, a quarter of an hour after their breaker', async () => {
    const { clock, register } = makeRegister();
    for (let n = 0; n < 50; n += 1) {
      const lane = await register.destinationOf(`typo${n}.example`).found;
      lane.shape = {
        ...lane.shape,
        breaker: { endsAt: new Date(clock.now().getTime() + MINUTE_MS), pauseMs: MINUTE_MS },
      };
    }
    clock.advance(14 * MINUTE_MS);
    register.destinationOf('new.example');
    expect([...register.lanes].length).toBeGreaterThanOrEqual(50);
    clock.advance(3 * MINUTE_MS);
    await register.destinationOf('newer.example').found;
    expect([...register.lanes].map(({ group }) => group)).toEqual(['new.example', 'newer.example']);
    expect(register.find('typo0.example')).toBeUndefined();
  });

  it('forgets destinations of a group that is always in use', async () => {
    const { clock, groups, register } = makeRegister();
    for (const name of ['one.example', 'two.example']) groups.set(name, 'host.example');
    const lane = await register.destinationOf('one.example').found;
    await register.destinationOf('two.example').found;
    lane.held = 1;
    clock.advance(11 * MINUTE_MS);
    register.destinationOf('three.example');
    expect([...lane.names]).toEqual([]);
    expect([...register.lanes]).toContain(lane);
  });

  it('asks again after ten minutes by which lane a destination goes that is still in use', async () => {
    const { clock, asked, groups, register } = makeRegister();
    const destination = register.destinationOf('a.example');
    expect((await destination.found).group).toBe('a.example');
    groups.set('a.example', 'host.example');
    for (let n = 0; n < 5; n += 1) {
      clock.advance(3 * MINUTE_MS);
      register.destinationOf('a.example');
    }
    await expect.poll(() => register.find('a.example')?.lane?.group).toBe('host.example');
    expect(asked).toEqual(['a.example', 'a.example']);
  });

  it('does not look at all destinations for each new one', async () => {
    const { register } = makeRegister();
    for (let n = 0; n < 60_000; n += 1) register.destinationOf(`d${n}.example`).early = 1;
    expect([...register.unsettled]).toHaveLength(60_000);
  });
});

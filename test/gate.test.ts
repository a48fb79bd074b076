import { describe, expect, it } from 'vitest';
import { createGate } from '../packages/server/src/gate.ts';

/** Enters and tells when it is in. */
function enter(gate: ReturnType<typeof createGate>, weight: number) {
  const state: { isIn: boolean; leave: () => void } = { isIn: false, leave: () => undefined };
  const inside = gate.enter(weight).then((leave) => {
    state.isIn = true;
    state.leave = leave;
  });
  return Object.assign(state, { inside });
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('a gate', () => {
  it('lets in what fits, and the rest in order as room is given back', async () => {
    const gate = createGate(10);
    const [first, second, third, fourth] = [6, 4, 5, 1].map((weight) => enter(gate, weight));
    await nextTurn();
    expect([first, second, third, fourth].map((one) => one?.isIn)).toEqual([true, true, false, false]);
    // The fourth would fit, and does not overtake the third, which could wait for ever else.
    second?.leave();
    await nextTurn();
    expect([third?.isIn, fourth?.isIn]).toEqual([false, false]);
    first?.leave();
    await Promise.all([third?.inside, fourth?.inside]);
  });

  it('lets in alone what is larger than itself', async () => {
    const gate = createGate(10);
    const small = enter(gate, 1);
    const huge = enter(gate, 50);
    const after = enter(gate, 1);
    await nextTurn();
    expect([small.isIn, huge.isIn, after.isIn]).toEqual([true, false, false]);
    small.leave();
    await huge.inside;
    await nextTurn();
    expect(after.isIn).toBe(false);
    huge.leave();
    await after.inside;
  });
});

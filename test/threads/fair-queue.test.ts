import { describe, expect, it } from 'vitest';
import { createFairQueue } from '../../packages/server/src/threads/fair-queue.ts';

describe('a fair queue', () => {
  function fill(...items: readonly [group: string, member: string, item: string][]) {
    const queue = createFairQueue<string>();
    for (const [group, member, item] of items) queue.add(group, member, item);
    return queue;
  }

  function drain(queue: ReturnType<typeof fill>): readonly string[] {
    const taken: string[] = [];
    for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item);
    return taken;
  }

  it('takes from the groups in rotation', () => {
    const queue = fill(['a', '', 'a1'], ['a', '', 'a2'], ['a', '', 'a3'], ['b', '', 'b1'], ['c', '', 'c1']);
    expect(drain(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'a3']);
  });

  it('takes from the members of a group in rotation, and gives a group no more for having many', () => {
    const queue = fill(['a', 'x', 'ax1'], ['a', 'x', 'ax2'], ['a', 'y', 'ay1'], ['b', 'z', 'bz1'], ['b', 'z', 'bz2']);
    expect(drain(queue)).toEqual(['ax1', 'bz1', 'ay1', 'bz2', 'ax2']);
  });

  it('skips groups that are blocked, and keeps their items', () => {
    const queue = fill(['a', '', 'a1'], ['b', '', 'b1']);
    expect(queue.take((group) => group !== 'a')).toBe('b1');
    expect(queue.take((group) => group !== 'a')).toBeUndefined();
    expect(queue.has((group) => group !== 'a')).toBe(false);
    expect(drain(queue)).toEqual(['a1']);
  });

  it('removes an item, and counts what is left', () => {
    const queue = fill(['a', 'x', 'a1'], ['a', 'x', 'a2'], ['b', 'y', 'b1']);
    queue.remove('a1');
    queue.remove('b1');
    queue.remove('b1');
    expect(queue.size).toBe(1);
    expect(drain(queue)).toEqual(['a2']);
    expect(queue.size).toBe(0);
  });
});

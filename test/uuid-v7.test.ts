import { describe, expect, it } from 'vitest';
import { createIdGenerator, idFloorAfter, isUuid } from '../packages/server/src/uuid-v7.ts';

const AT = new Date('2026-05-01T12:00:00.123Z');
const millisecondOf = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);

describe('ids', () => {
  it('are UUIDv7 of their time', { tags: ['contract-shape.ids'] }, () => {
    const id = createIdGenerator().next(AT);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(millisecondOf(id)).toBe(AT.getTime());
    expect(isUuid(id)).toBe(true);
  });

  it('are ordered by creation, also within a millisecond and when the clock is set back', {
    tags: ['contract-shape.ids'],
  }, () => {
    const ids = createIdGenerator();
    const made = [
      ...Array.from({ length: 10_000 }, () => ids.next(AT)),
      ids.next(new Date(AT.getTime() - 60_000)),
      ids.next(new Date(AT.getTime() + 60_000)),
    ];
    expect(made).toEqual([...made].sort());
    expect(new Set(made).size).toBe(made.length);
    expect(millisecondOf(made.at(-1) ?? '')).toBe(AT.getTime() + 60_000);
  });

  it('differ between generators at the same time', () => {
    const made = Array.from({ length: 1_000 }, () => createIdGenerator().next(AT));
    expect(new Set(made).size).toBe(1_000);
  });

  it.each(['', 'x', '01936a2e00007000800000000000000', '01936a2e-0000-7000-8000-00000000000g'])(
    'are not %j',
    (text) => {
      expect(isUuid(text)).toBe(false);
    },
  );

  it('have a lower bound for a time, which sorts between ids created before and after', () => {
    const ids = createIdGenerator();
    const id = ids.next(AT);
    const floor = idFloorAfter(id, 1_000);
    expect(isUuid(floor)).toBe(true);
    expect(ids.next(new Date(AT.getTime() + 999)) < floor).toBe(true);
    expect(ids.next(new Date(AT.getTime() + 1_000)) >= floor).toBe(true);
    expect(idFloorAfter('0194ffff-ffff-7000-8000-000000000000', 1)).toBe('01950000-0000-7000-8000-000000000000');
  });
});

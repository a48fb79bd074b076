import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createReturnPaths } from '../../packages/server/src/inbound/return-path.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';

const secretKey = randomBytes(32);
const paths = createReturnPaths(secretKey);
const ids = createIdGenerator();
const idAt = (year: number) => ids.next(new Date(Date.UTC(year, 0, 1)));

describe('a return path', () => {
  it('names a message and its recipient, in 64 bytes that no mail system changes', () => {
    for (let round = 0; round < 300; round += 1) {
      const accountId = createIdGenerator().next(new Date(Date.UTC(2026, 10, 21) - round * 86_400_000));
      const messageId = createIdGenerator().next(new Date(Date.UTC(2026 + (round % 70), 1, 2, 3, 4, 5, round)));
      const address = paths.addressFor({ accountId, messageId, ordinals: [round % 50] }, 'bounce.example.com');
      const subject = { account: { least: accountId, greatest: accountId }, messageId, ordinals: [round % 50] };
      expect(address).toMatch(/^b\+[0-9a-z_-]+\.[0-9a-z_-]{16}@bounce\.example\.com$/);
      expect(address.indexOf('@')).toBeLessThanOrEqual(64);
      expect(paths.read(address)).toEqual(subject);
      expect(paths.read(address.toUpperCase())).toEqual(subject);
    }
  });

  it('names exactly the recipients that share a delivery, the message, and its account', () => {
    const everybody = Array.from({ length: 50 }, (_, ordinal) => ordinal);
    const sets = [everybody, [0, 1], [0, 49], [48, 49], [1, 2, 3], everybody.filter((n) => n % 2 === 1)];
    for (const [round, ordinals] of sets.entries()) {
      const accountId = createIdGenerator().next(new Date(Date.UTC(2026 + 15 * round, 10, 21)));
      const messageId = createIdGenerator().next(new Date(Date.UTC(2026 + 15 * round, 10, 22)));
      const address = paths.addressFor({ accountId, messageId, ordinals }, 'bounce.example.com');
      expect(address).toMatch(/^b\+[0-9a-z_-]+\.[0-9a-z_-]{16}@bounce\.example\.com$/);
      expect(address.indexOf('@')).toBeLessThanOrEqual(64);
      const read = paths.read(address.toUpperCase());
      expect(read).toMatchObject({ messageId, ordinals });
      const { least = '', greatest = '' } = read?.account ?? {};
      expect(least <= accountId && accountId <= greatest).toBe(true);
      // The time, the counter and the first of what is left to chance.
      expect(least.slice(0, 23)).toBe(greatest.slice(0, 23));
      const next = ids.next(new Date(Date.UTC(2026 + 15 * round, 10, 21) + 1));
      expect(next <= least || next > greatest).toBe(true);
    }
  });

  it.each([[[3]], [[3, 5]]])('of %j cannot be forged or changed: every other spelling of it is unknown', (given) => {
    const [accountId, messageId] = [idAt(2026), idAt(2027)];
    const address = paths.addressFor({ accountId, messageId, ordinals: given }, 'bounce.example.com');
    const local = address.slice(0, address.indexOf('@'));
    for (let at = 2; at < local.length; at += 1) {
      for (const other of ['0', 'a', 'z', '-', '_', '+', 'é', '']) {
        if (local[at] === other) continue;
        expect(
          paths.read(`${local.slice(0, at)}${other}${local.slice(at + 1)}@bounce.example.com`),
          `${at}`,
        ).toBeNull();
      }
    }
    expect(createReturnPaths(randomBytes(32)).read(address)).toBeNull();
    for (const text of [
      '',
      'b+x.y@z',
      '@',
      `b+${'_'.repeat(45)}.${'_'.repeat(16)}@a.b`,
      local,
      `${address}@x`,
      'abuse@a.b',
    ]) {
      expect(paths.read(text), text).toBeNull();
    }
  });

  it('contains only our own ids', () => {
    const messageId = idAt(2026);
    expect(() => paths.addressFor({ accountId: 'x', messageId, ordinals: [0] }, 'a.b')).toThrow(RangeError);
    expect(() => paths.addressFor({ accountId: messageId, messageId, ordinals: [64] }, 'a.b')).toThrow(RangeError);
    for (const ordinals of [[], [0, 50], [-1, 0]]) {
      expect(() => paths.addressFor({ accountId: messageId, messageId, ordinals }, 'a.b')).toThrow(RangeError);
    }
  });
});

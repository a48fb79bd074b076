import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createApiKey, hashApiKey, isWellFormedKey, keyPrefix } from '../../packages/server/src/keys/api-key.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe('an API key', () => {
  it('is `pr_live_`, at least 192 random bits in base62, and a checksum', { tags: ['keys.secret'] }, () => {
    const { secret, hash, last4 } = createApiKey('live');
    const [, random = '', checksum = ''] = /^pr_live_([0-9A-Za-z]{33})([0-9A-Za-z]{6})$/.exec(secret) ?? [];
    expect(random.length * Math.log2(62)).toBeGreaterThanOrEqual(192);
    const expected = [...checksum].reduce((sum, character) => sum * 62 + BASE62.indexOf(character), 0);
    expect(crc32(`pr_live_${random}`)).toBe(expected);
    expect(hash).toEqual(createHash('sha256').update(secret).digest());
    expect(secret.endsWith(last4)).toBe(true);
    expect(keyPrefix('live')).toBe('pr_live_');
  });

  it('is well formed as created, in either mode', () => {
    for (const mode of ['live', 'test'] as const) {
      const { secret } = createApiKey(mode);
      expect(secret.startsWith(`pr_${mode}_`)).toBe(true);
      expect(isWellFormedKey(secret)).toBe(true);
      expect(hashApiKey(secret)).toHaveLength(32);
    }
  });

  it('is recognized as mistyped when one character differs, is missing or is extra', () => {
    const { secret } = createApiKey('live');
    for (let at = 0; at < secret.length; at += 1) {
      const other = secret[at] === 'x' ? 'y' : 'x';
      expect(isWellFormedKey(`${secret.slice(0, at)}${other}${secret.slice(at + 1)}`), `${at}`).toBe(false);
      expect(isWellFormedKey(`${secret.slice(0, at)}${secret.slice(at + 1)}`)).toBe(false);
      expect(isWellFormedKey(`${secret.slice(0, at)}x${secret.slice(at)}`)).toBe(false);
    }
    for (const text of [
      '',
      'pr_live_',
      ` ${secret}`,
      `${secret}\n`,
      secret.toUpperCase(),
      secret.replace('live', 'test'),
    ]) {
      expect(isWellFormedKey(text), text).toBe(false);
    }
  });

  it('uses every character of its alphabet equally often', () => {
    const counts = new Map<string, number>();
    for (let made = 0; made < 2_000; made += 1) {
      for (const character of createApiKey('live').secret.slice(8, 41))
        counts.set(character, (counts.get(character) ?? 0) + 1);
    }
    expect(counts.size).toBe(62);
    const mean = (2_000 * 33) / 62;
    // Six standard deviations of a binomial count: far rarer than a broken machine.
    const allowed = 6 * Math.sqrt(mean);
    for (const [character, count] of counts) expect(Math.abs(count - mean), character).toBeLessThan(allowed);
  });
});

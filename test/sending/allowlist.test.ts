import { describe, expect, it } from 'vitest';
import { isAllowed, normalizeAllowlist } from '../../packages/server/src/sending/allowlist.ts';

describe('a recipient allowlist', () => {
  it('allows everyone when it is absent, and no one when it is empty', () => {
    expect(isAllowed('a@b.co', null)).toBe(true);
    expect(isAllowed('a@b.co', [])).toBe(false);
  });

  it.each([
    ['a@b.co', 'a@b.co', true],
    ['a@b.co', 'A@B.CO', true],
    ['A@B.co', 'a@b.co', true],
    ['a@b.co', 'aa@b.co', false],
    ['a@b.co', 'a+x@b.co', false],
    ['a@b.co', 'a@sub.b.co', false],
    ['@b.co', 'anyone@b.co', true],
    ['@B.CO', 'anyone@b.co', true],
    ['@b.co', 'anyone@sub.b.co', false],
    ['@b.co', 'anyone@xb.co', false],
    ['@b.co', 'b.co@evil.example', false],
    ['*.b.co', 'a@sub.b.co', true],
    ['*.b.co', 'a@x.y.b.co', true],
    ['*.b.co', 'a@b.co', false],
    ['*.b.co', 'a@xb.co', false],
    ['*.b.co', 'a@b.co.evil.example', false],
    ['*.b.co', 'sub.b.co@evil.example', false],
    ['', 'a@b.co', false],
    ['*', 'a@b.co', false],
    ['@', 'a@b.co', false],
    ['b.co', 'a@b.co', false],
  ])('with %j says of %s: %s', { tags: ['keys.allowlist-entries'] }, (entry, email, allowed) => {
    expect(isAllowed(email, [entry])).toBe(allowed);
    expect(isAllowed(email, ['other@example.org', entry])).toBe(allowed);
  });
});

describe('entries for an allowlist', () => {
  it('are converted to lower case and A-labels, so that they compare', () => {
    expect(normalizeAllowlist(['Ann@B.CO', '@Bücher.example', '*.B.co', ' x@y.co '])).toEqual({
      entries: ['ann@b.co', '@xn--bcher-kva.example', '*.b.co', 'x@y.co'],
      unknown: [],
    });
  });

  it.each(['', '*', '@', '*.', 'b.co', '*@b.co', 'Ann <a@b.co>', 'a@b', '*.*.b.co', '@b.co,@c.co', 'a@b.co\r\n@c.co'])(
    'are not %j',
    (entry) => {
      expect(normalizeAllowlist([entry])).toEqual({ entries: [], unknown: [entry] });
    },
  );
});

import { describe, expect, it } from 'vitest';
import { checkIdempotency, fingerprintOf } from '../../packages/server/src/sending/idempotency.ts';

describe('the fingerprint of a request', () => {
  it('is the same for the same values in another order of fields', () => {
    const one = fingerprintOf({ a: 1, b: { c: [1, 2], d: 'x' } });
    expect(fingerprintOf({ b: { d: 'x', c: [1, 2] }, a: 1 })).toBe(one);
  });

  it.each([
    [{ a: 1 }, { a: '1' }],
    [{ a: 1 }, { a: 1, b: null }],
    [{ a: [1, 2] }, { a: [2, 1] }],
    [{ a: null }, { a: false }],
    [{ a: {} }, { a: [] }],
    [{ a: [['b', 1]] }, { a: { b: 1 } }],
    [{ a: 'b' }, { b: 'a' }],
    [{ object: [['a', 1]] }, { a: 1 }],
    [[{ object: [] }], [{}]],
    ['a', ['a']],
    [null, {}],
  ])('differs for %j and %j', (one, other) => {
    expect(fingerprintOf(one)).not.toBe(fingerprintOf(other));
  });
});

describe('a stored idempotency key', () => {
  it('is new, replayed or reused', () => {
    const stored = { fingerprint: 'f', messageId: 'm' };
    expect(checkIdempotency(undefined, 'f')).toEqual({ kind: 'new' });
    expect(checkIdempotency(stored, 'f')).toEqual({ kind: 'replay', messageId: 'm', hold: null });
    expect(checkIdempotency(stored, 'g')).toEqual({ kind: 'reused' });
  });
});

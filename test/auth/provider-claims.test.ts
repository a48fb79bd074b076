import { describe, expect, it } from 'vitest';
import { toProviderAddress, toProviderName } from '../../packages/server/src/auth/oauth/provider-claims.ts';

describe('what an identity provider says about a user', () => {
  it('is accepted as an address only in the form that addresses have here', () => {
    expect(toProviderAddress(' Ada@B\u00fccher.Example ')).toBe('Ada@xn--bcher-kva.example');
    // The sign of Kelvin is a small k without case, which a database may compare by.
    const refused = [
      '\u212ate@sandbox.test',
      'Ada <ada@sandbox.test>',
      'a@b.test, c@d.test',
      'a@b.test\u0000',
      '',
      1,
      null,
      ['a@b.test'],
    ];
    for (const claim of refused) expect([claim, toProviderAddress(claim)]).toEqual([claim, null]);
  });

  it('is accepted as a name only if it can be shown and mailed', () => {
    expect(toProviderName(' Ada Lovelace ')).toBe('Ada Lovelace');
    expect(toProviderName('x'.repeat(10_000))).toHaveLength(100);
    expect(toProviderName(`${'x'.repeat(99)}\u{1f600}`)?.isWellFormed()).toBe(true);
    for (const claim of ['', '  ', 'a\r\nBcc: x@y.test', 'a\u0000', '\u202egnp.exe', 7, null])
      expect([claim, toProviderName(claim)]).toEqual([claim, null]);
  });
});

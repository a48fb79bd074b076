import { describe, expect, it } from 'vitest';
import { isHostInPolicy, readStsPolicy, readStsRecord } from '../../packages/server/src/routing/mta-sts-policy.ts';

describe('the announcement of an MTA-STS policy (RFC 8461, section 3.1)', () => {
  it.each([
    [['v=STSv1; id=20160831085700Z;'], '20160831085700Z'],
    [['v=STSv1;id=1'], '1'],
    [['v=STSv1 ; id = a1 ; other=x'], 'a1'],
    [['v=spf1 -all', 'v=STSv1; id=7;', 'unrelated'], '7'],
    [['v=STSv1; id=1;', 'v=STSv1; id=2;'], null],
    [['v=STSv1; id=;'], null],
    [['v=STSv1;'], null],
    [['v=STSv1'], null],
    [['v=STSv10; id=1'], null],
    [[' v=STSv1; id=1'], null],
    [['id=1; v=STSv1'], null],
    [[`v=STSv1; id=${'a'.repeat(33)}`], null],
    [['v=STSv1; id=a-b'], null],
    [[], null],
  ])('%j has the id %s', (records, id) => {
    expect(readStsRecord(records)).toBe(id);
  });
});

describe('the text of an MTA-STS policy (section 3.2)', () => {
  const text = (...lines: readonly string[]) => lines.join('\r\n');

  it('has its mode, its servers and its max_age', () => {
    const lines = [
      'version: STSv1',
      'mode: enforce',
      'mx: Mail.Example.com',
      'mx: *.example.net',
      'max_age: 604800',
      '',
    ];
    const policy = { mode: 'enforce', mx: ['mail.example.com', '*.example.net'], maxAgeSeconds: 604_800 };
    expect(readStsPolicy(text(...lines))).toEqual(policy);
    expect(readStsPolicy(lines.join('\n'))).toEqual(policy);
    expect(readStsPolicy(text('max_age:604800', 'new_field: x', 'garbage', ...lines, 'mode: none'))).toEqual(policy);
  });

  it('of mode none needs no servers, and a max_age of more than a year is a year', () => {
    expect(readStsPolicy(text('version: STSv1', 'mode: none', 'max_age: 9999999999'))).toEqual({
      mode: 'none',
      mx: [],
      maxAgeSeconds: 31_557_600,
    });
  });

  it.each([
    ['no version', text('mode: enforce', 'mx: a.test', 'max_age: 1')],
    ['another version', text('version: STSv2', 'mode: enforce', 'mx: a.test', 'max_age: 1')],
    ['no mode', text('version: STSv1', 'mx: a.test', 'max_age: 1')],
    ['an unknown mode', text('version: STSv1', 'mode: strict', 'mx: a.test', 'max_age: 1')],
    ['no max_age', text('version: STSv1', 'mode: enforce', 'mx: a.test')],
    ['a max_age that is not a number', text('version: STSv1', 'mode: enforce', 'mx: a.test', 'max_age: -1')],
    ['no server', text('version: STSv1', 'mode: testing', 'max_age: 1')],
    ['an invalid server name', text('version: STSv1', 'mode: enforce', 'mx: a*.test', 'max_age: 1')],
    ['a wildcard for every server', text('version: STSv1', 'mode: enforce', 'mx: *', 'max_age: 1')],
    ['a page of HTML', '<html><body>version: STSv1</body></html>'],
    ['nothing', ''],
  ])('with %s is invalid', (_what, given) => {
    expect(readStsPolicy(given)).toBeNull();
  });

  it('names a server in full, or by a wildcard for one label (section 4.1)', () => {
    const policy = { mode: 'enforce', mx: ['mx.a.test', '*.b.test'], maxAgeSeconds: 1 } as const;
    for (const host of ['mx.a.test', 'x.b.test']) expect(isHostInPolicy(policy, host), host).toBe(true);
    for (const host of ['a.test', 'y.mx.a.test', 'b.test', 'x.y.b.test', 'xb.test', 'b', '']) {
      expect(isHostInPolicy(policy, host), host).toBe(false);
    }
  });
});

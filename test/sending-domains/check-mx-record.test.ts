import { describe, expect, it } from 'vitest';
import { checkMxRecord, judgeOtherExchange } from '../../packages/server/src/sending-domains/check-mx-record.ts';
import { found, NO_NAME, NO_RECORD, SILENT } from './dns-results.ts';

const OWN = 'mail.p.example';
const mx = (text: string) => ({ priority: Number(text.split(' ')[0]), exchange: text.split(' ')[1] ?? '' });
const check = (...records: string[]) => checkMxRecord('bounce.a.example', OWN, found(...records.map(mx)));
const decided = (verdict: object) => ({ kind: 'decided', verdict: expect.objectContaining(verdict) });

describe('the MX record of a return path', () => {
  it.each([
    [['10 mail.p.example']],
    [['0 mail.p.example']],
    [['10 mail.p.example', '20 backup.example']],
    [['10 mail.p.example', '10 mail.p.example']],
  ])('passes %j', (records) => {
    expect(check(...records)).toEqual(decided({ status: 'pass', reason: null, found: records }));
  });

  it.each([
    [['20 mail.p.example', '10 other.example'], /sent to other\.example first/],
    [['10 mail.p.example', '10 other.example'], /share the lowest preference/],
    [['0 '], /null MX/],
    [['10 a.example', '10 b.example'], /a\.example, b\.example instead/],
  ])('fails %j', (records, reason) => {
    expect(check(...records)).toEqual(decided({ status: 'fail', reason: expect.stringMatching(reason) }));
  });

  it('fails when there is none, and is pending when the DNS did not respond', () => {
    expect(checkMxRecord('b.example', OWN, NO_RECORD)).toEqual(
      decided({ status: 'fail', reason: expect.stringMatching(/no MX/) }),
    );
    expect(checkMxRecord('b.example', OWN, NO_NAME)).toEqual(decided({ status: 'fail' }));
    expect(checkMxRecord('b.example', OWN, SILENT)).toEqual(decided({ status: 'pending' }));
  });

  it('looks up a host of another name as well', () => {
    expect(check('10 alias.example', '20 b.example')).toEqual({
      ...{ kind: 'other-name', exchange: 'alias.example', found: ['10 alias.example', '20 b.example'] },
    });
  });

  const own = found('192.0.2.25', '2001:db8::25');
  it.each([
    ['an alias of ours', { cname: found(OWN), addresses: own, ownAddresses: own }, 'pass', /CNAME/],
    ['our address', { cname: NO_RECORD, addresses: found('192.0.2.25'), ownAddresses: own }, 'pass', /has the address/],
    ['another address', { cname: NO_RECORD, addresses: found('192.0.2.9'), ownAddresses: own }, 'fail', /instead of/],
    [
      'one address of ours and one other',
      { cname: NO_RECORD, addresses: found('192.0.2.25', '192.0.2.9'), ownAddresses: own },
      'fail',
      /instead of/,
    ],
    ['no address', { cname: NO_NAME, addresses: NO_NAME, ownAddresses: own }, 'fail', /instead of/],
    [
      'an alias of another',
      { cname: found('x.example'), addresses: NO_RECORD, ownAddresses: NO_RECORD },
      'fail',
      /instead of/,
    ],
    [
      'an address that The lookup that shows',
      { cname: NO_RECORD, addresses: SILENT, ownAddresses: own },
      'pending',
      /The lookup that shows/,
    ],
    [
      'our own address unknown',
      { cname: NO_RECORD, addresses: own, ownAddresses: SILENT },
      'pending',
      /The lookup that shows/,
    ],
  ] as const)('judges a host with %s', (_, facts, status, reason) => {
    expect(judgeOtherExchange('x.example', OWN, ['10 x.example'], facts)).toMatchObject({
      ...{ status, reason: expect.stringMatching(reason), found: ['10 x.example'] },
    });
  });
});

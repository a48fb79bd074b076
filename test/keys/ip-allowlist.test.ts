import { describe, expect, it } from 'vitest';
import { areNetworksWithin, isAddressAllowed, normalizeNetwork } from '../../packages/server/src/keys/ip-allowlist.ts';

describe('networks', () => {
  it.each([
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['203.0.113.77/28', '203.0.113.64/28'],
    ['203.0.113.9', '203.0.113.9/32'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['2001:DB8::/32', '2001:db8::/32'],
    ['2001:db8::1', '2001:db8::1/128'],
    ['2001:db8:ffff::1/33', '2001:db8:8000::/33'],
    ['::/0', '::/0'],
    ['::ffff:203.0.113.0/120', '203.0.113.0/24'],
    [' 10.0.0.0/8 ', '10.0.0.0/8'],
  ])('%s is stored as %s', { tags: ['keys.ip-allowlist'] }, (given, kept) => {
    expect(normalizeNetwork(given)).toBe(kept);
  });

  it.each([
    ...[
      '',
      '10',
      '10.0/8',
      '10.0.0.0/33',
      '10.0.0.0/-1',
      '10.0.0.0/8/8',
      '10.0.0.0/',
      '010.0.0.1/8',
      '0x0a.0.0.1',
      '256.0.0.1',
    ],
    ...['10.0.0.0/8.0', '2001:db8::/129', 'fe80::1%eth0/64', 'localhost', '*', '10.0.0.*', '1.2.3.4/٨'],
  ])('rejects %j', { tags: ['keys.ip-allowlist'] }, (given) => {
    expect(normalizeNetwork(given)).toBeNull();
  });

  it('contain their own addresses, in every form that a socket reports', { tags: ['keys.ip-allowlist'] }, () => {
    const networks = ['203.0.113.64/28', '2001:db8::/32'];
    for (const inside of [
      '203.0.113.64',
      '203.0.113.79',
      '::ffff:203.0.113.70',
      '::ffff:cb00:7147',
      '2001:db8::1',
      '2001:db8:ffff::',
    ]) {
      expect(isAddressAllowed(inside, networks), inside).toBe(true);
    }
    for (const outside of [
      '203.0.113.63',
      '203.0.113.80',
      '::ffff:203.0.113.80',
      '2001:db9::1',
      '::1',
      '127.0.0.1',
      '',
      'unknown',
    ]) {
      expect(isAddressAllowed(outside, networks), outside).toBe(false);
    }
    expect(isAddressAllowed('fe80::1%eth0', ['fe80::/10'])).toBe(true);
  });

  it('allow everyone when there is no list, and no one when it is empty', () => {
    expect(isAddressAllowed('203.0.113.1', null)).toBe(true);
    expect(isAddressAllowed('203.0.113.1', [])).toBe(false);
    expect(areNetworksWithin([], ['10.0.0.0/8'])).toBe(true);
  });
});

import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readDkimRecord } from '../../packages/server/src/diagnostics/dkim-record.ts';
import { checkDkimRecord } from '../../packages/server/src/sending-domains/check-dkim-record.ts';
import { found, NO_NAME, NO_RECORD, SILENT } from './dns-results.ts';

const KEY = `MIIB${'AbC+/9xyz0'.repeat(38)}QAB=`;
const OTHER = `MIIB${'ZzZ+/9xyz0'.repeat(38)}QAB=`;
const expected = { host: 's._domainkey.a.example', algorithm: 'rsa', publicKey: KEY } as const;
const check = (response: Parameters<typeof checkDkimRecord>[1]) => checkDkimRecord(expected, response);
const good = `v=DKIM1; k=rsa; p=${KEY}`;

describe('the record of a DKIM key', () => {
  it.each([
    ['as it is shown', good],
    ['without v= and k=, which have defaults', `p=${KEY}`],
    ['with its tags in another order', `v=DKIM1; p=${KEY}; k=rsa`],
    ['with a semicolon at the end', `${good};`],
    ['without blanks', good.replaceAll(' ', '')],
    ['with blanks inside the key', good.replace('AbC', ' A bC\t')],
    ['without the padding of base64', good.replace(/=$/, '')],
    ['with tags that allow our use', `v=DKIM1; h=sha1:sha256; s=email; k=rsa; n=note; t=s; p=${KEY}`],
    ['for every service', `v=DKIM1; s=*; p=${KEY}`],
    ['with unknown tags', `v=DKIM1; x=1; p=${KEY}`],
  ])('passes %s', (_, record) => {
    expect(check(found(record))).toMatchObject({ status: 'pass', reason: null, found: [expect.any(String)] });
  });

  it('passes beside TXT records that are not keys', () => {
    const verdict = check(found('google-site-verification=abc', good));
    expect(verdict).toMatchObject({ status: 'pass', reason: null });
    expect(verdict.found).toHaveLength(2);
  });

  it('passes in test mode, and says so', () => {
    expect(check(found(`v=DKIM1; t=y:s; p=${KEY}`))).toMatchObject({
      status: 'pass',
      reason: expect.stringMatching(/t=y/),
    });
  });

  it.each([
    ['another key', `v=DKIM1; k=rsa; p=${OTHER}`, /another key/],
    ['a key cut off at 255 characters', good.slice(0, 255), /cut off after \d+ of \d+/],
    ['a revoked key', 'v=DKIM1; k=rsa; p=', /revoked/],
    ['a key of another kind', `v=DKIM1; k=ed25519; p=${KEY}`, /k=ed25519/],
    ['other hashes', `v=DKIM1; h=sha1; p=${KEY}`, /sha1/],
    ['another service', `v=DKIM1; s=tlsrpt; p=${KEY}`, /s=tlsrpt/],
    ['escaped semicolons', `v=DKIM1\\; k=rsa\\; p=${KEY}`, /backslashes/],
    ['quotes in the value', `"v=DKIM1; k=rsa; p=${KEY}"`, /quotes/],
    ['another version', `v=DKIM2; p=${KEY}`, /version is not the first tag, or not DKIM1/],
    ['the version after other tags', `k=rsa; p=${KEY}; v=DKIM1`, /version is not the first tag/],
    ['the same tag twice', `v=DKIM1; p=${KEY}; p=${KEY}`, /not a DKIM key/],
    ['the response of a wildcard', 'v=spf1 -all', /wildcard/],
    ['nothing', '', /not a DKIM key/],
  ])('fails with %s', (_, record, reason) => {
    expect(check(found(record))).toMatchObject({
      status: 'fail',
      reason: expect.stringMatching(reason),
      found: [expect.any(String)],
    });
  });

  it('fails with two keys, whether one is ours or none', () => {
    expect(check(found(good, `v=DKIM1; p=${OTHER}`))).toMatchObject({
      status: 'fail',
      reason: expect.stringMatching(/Remove the other/),
    });
    expect(check(found(`p=${OTHER}`, 'v=DKIM1; p='))).toMatchObject({
      status: 'fail',
      reason: expect.stringMatching(/none is ours/),
    });
  });

  it('fails when there is none, and is pending when the DNS did not respond', () => {
    expect(check(NO_NAME)).toEqual({ status: 'fail', reason: expect.stringContaining(expected.host), found: [] });
    expect(check(NO_RECORD)).toMatchObject({ status: 'fail', reason: expect.stringMatching(/no TXT record/) });
    expect(check(SILENT)).toMatchObject({ status: 'pending', reason: expect.stringMatching(/SERVFAIL/), found: [] });
  });

  it('compares Ed25519 keys as it compares others', () => {
    const key = { ...expected, algorithm: 'ed25519', publicKey: 'q6mT+A==' } as const;
    expect(checkDkimRecord(key, found('v=DKIM1; k=ed25519; p=q6mT+A==')).status).toBe('pass');
    expect(checkDkimRecord(key, found('v=DKIM1; p=q6mT+A=='))).toMatchObject({
      status: 'fail',
      reason: expect.stringMatching(/k=rsa/),
    });
  });

  it('reports the same about a record as the free check', () => {
    const { publicKey: own } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const key = own.export({ type: 'spki', format: 'der' }).toString('base64');
    const tags = [
      'v=DKIM1',
      'v=DKIM2',
      'k=rsa',
      'k=RSA',
      'h=sha1',
      'h=sha256',
      's=email',
      's=tlsrpt',
      `p=${key}`,
      'p=',
    ];
    for (const first of tags) {
      for (const second of tags) {
        for (const third of tags) {
          const record = [first, second, third].join('; ');
          const harmless = ['dkim_testing', 'dkim_key_short', 'dkim_key_too_long'];
          const { keyBits, faults } = readDkimRecord(record);
          const isValid = keyBits !== null && faults.every(({ code }) => harmless.includes(code));
          const { status } = checkDkimRecord({ ...expected, publicKey: key }, found(record));
          expect([record, status]).toEqual([record, isValid ? 'pass' : 'fail']);
        }
      }
    }
  });

  it('removes control characters from what it found, and limits its length', () => {
    const { found: kept } = check(
      found('a\u0000\u001b[31mb', `x${'y'.repeat(5_000)}`, ...Array.from({ length: 20 }, () => 'z')),
    );
    expect(kept[0]).toBe('a\\u0000\\u001b[31mb');
    expect(kept[1]).toHaveLength(1_001);
    expect(kept).toHaveLength(11);
    expect(kept[10]).toBe('… and 12 more');
  });
});

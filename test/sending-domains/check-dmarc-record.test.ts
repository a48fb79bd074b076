import { describe, expect, it } from 'vitest';
import type { DnsResult } from '../../packages/server/src/dns/dns-resolver.ts';
import { checkDmarcRecord } from '../../packages/server/src/sending-domains/check-dmarc-record.ts';
import { found, NO_NAME, NO_RECORD, SILENT } from './dns-results.ts';

const own = (response: DnsResult<string>) => ({ host: '_dmarc.mail.a.example', response });
const above = (response: DnsResult<string>) => ({ host: '_dmarc.a.example', response });

describe('the DMARC policy of a domain', () => {
  it.each([
    ['v=DMARC1; p=none'],
    ['v=DMARC1;p=reject;'],
    ['v=DMARC1; p=Quarantine; sp=none; rua=mailto:d@a.example; adkim=s'],
    [' v = DMARC1 ; p = none'],
  ])('passes %s', (record) => {
    expect(checkDmarcRecord(own(found(record)), null)).toEqual({ status: 'pass', reason: null, found: [record] });
  });

  it.each([
    [['v=DMARC1; p=none', 'v=DMARC1; p=reject'], /2 DMARC records/],
    [['v=DMARC1'], /no p= tag/],
    [['v=DMARC1; p=maybe'], /p=maybe/],
    [['v=DMARC1; p=none; sp=all'], /sp=all/],
    [['v=spf1 -all'], /not a DMARC policy/],
    [['p=none; v=DMARC1'], /not a DMARC policy/],
    [['v=DMARC10; p=none'], /not a DMARC policy/],
    [['v=dmarc1; p=none'], /not a DMARC policy/],
    [['v=DMARC1; p=none; p=reject'], /is repeated/],
    [['v=DMARC1; P=none'], /no p= tag/],
  ])('fails %j, also when the organization has a policy or none', (records, reason) => {
    expect(checkDmarcRecord(own(found(...records)), null)).toMatchObject({
      status: 'fail',
      reason: expect.stringMatching(reason),
    });
    expect(checkDmarcRecord(own(found(...records)), above(NO_NAME))).toMatchObject({
      status: 'fail',
      reason: expect.stringMatching(reason),
    });
  });

  it('counts the policy of the organization when the domain has none', () => {
    for (const response of [NO_NAME, NO_RECORD, found('a wildcard record')]) {
      expect(checkDmarcRecord(own(response), above(found('v=DMARC1; p=reject')))).toEqual({
        ...{
          status: 'pass',
          reason: expect.stringContaining('policy of a.example applies'),
          found: ['v=DMARC1; p=reject'],
        },
      });
    }
    expect(checkDmarcRecord(own(found('v=DMARC1; p=bad')), above(found('v=DMARC1; p=none'))).status).toBe('fail');
  });

  it('recommends one when there is none', () => {
    expect(checkDmarcRecord(own(NO_NAME), null)).toMatchObject({
      status: 'fail',
      reason: expect.stringMatching(/There is no DMARC record/),
      found: [],
    });
    expect(checkDmarcRecord(own(NO_NAME), above(NO_NAME))).toMatchObject({
      status: 'fail',
      reason: expect.stringMatching(/no DMARC record/),
    });
  });

  it('is pending when the DNS did not respond', () => {
    expect(checkDmarcRecord(own(SILENT), above(found('v=DMARC1; p=none'))).status).toBe('pending');
    expect(checkDmarcRecord(own(NO_NAME), above(SILENT)).status).toBe('pending');
  });
});

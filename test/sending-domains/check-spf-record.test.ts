import { describe, expect, it } from 'vitest';
import { checkSpfRecord, judgeSpfEvaluations } from '../../packages/server/src/sending-domains/check-spf-record.ts';
import { found, NO_NAME, SILENT } from './dns-results.ts';

const check = (...records: string[]) => checkSpfRecord('bounce.a.example', 'a:mail.p.example', found(...records));
const decided = (verdict: object) => ({ kind: 'decided', verdict: expect.objectContaining(verdict) });

describe('the SPF record of a return path', () => {
  it.each([
    ['v=spf1 a:mail.p.example ~all', true],
    ['v=spf1 +a:mail.p.example -all', true],
    ['V=SPF1 A:Mail.P.Example -ALL', true],
    ['v=spf1  include:other.example   a:mail.p.example  ?all ', true],
    ['v=spf1 ip4:192.0.2.0/24 a:mail.p.example', true],
    ['v=spf1 -ip4:0.0.0.0/0 a:mail.p.example -all', true],
    ['v=spf1 ip4:192.0.2.1 ~all', false],
    ['v=spf1 include:_spf.other.example -all', false],
    ['v=spf1 redirect=_spf.other.example', false],
    ['v=spf1 -a:mail.p.example ~all', false],
    // What is behind `all` never counts (RFC 7208 §5.1).
    ['v=spf1 ~all a:mail.p.example', false],
    ['v=spf1 exists:%{i}._spf.example a/24//64 mx/28 ptr exp=e.example x-note=1 ?all', false],
  ])('leaves %s to an evaluation, whether it names the server or not', (record, namesUs) => {
    expect(check(record)).toEqual({ kind: 'evaluate', found: [record], warning: null, namesUs });
  });

  it('reads the SPF record among others', () => {
    expect(check('hello', 'v=spf10 x', 'v=spf1 a:mail.p.example ~all')).toMatchObject({
      ...{ kind: 'evaluate', found: ['v=spf1 a:mail.p.example ~all'] },
    });
  });

  it('warns about +all', () => {
    for (const record of ['v=spf1 a:mail.p.example +all', 'v=spf1 all']) {
      expect(check(record)).toMatchObject({ kind: 'evaluate', warning: expect.stringMatching(/\+all/) });
    }
  });

  it.each([
    [['v=spf1 a:mail.p.example ~all', 'v=spf1 -all'], /2 SPF records/],
    [['spf1 a:mail.p.example'], /none of its TXT records begins with v=spf1/],
    [['v=DMARC1; p=none'], /no SPF record/],
    [['v=spf1 a:mail.p.example allow ~all'], /"allow" is not an SPF mechanism/],
    [['v=spf1 include ~all'], /"include" has no domain/],
    [['v=spf1 a: ~all'], /"a:" has no valid domain/],
    [['v=spf1 ip4:999.1.1.1 a:mail.p.example -all'], /"ip4:999.1.1.1" has no valid address/],
    [['v=spf1 a:mail.p.example/99 -all'], /prefix length/],
  ])('fails %j', (records, reason) => {
    expect(check(...records)).toEqual(decided({ status: 'fail', reason: expect.stringMatching(reason) }));
  });

  it('fails when there is none, and is pending when the DNS did not respond', () => {
    expect(checkSpfRecord('b.example', 'a:m.example', NO_NAME)).toEqual(decided({ status: 'fail' }));
    expect(checkSpfRecord('b.example', 'a:m.example', SILENT)).toEqual(decided({ status: 'pending' }));
  });

  const judge = (...results: string[]) =>
    judgeSpfEvaluations(
      'mail.p.example',
      { kind: 'evaluate', found: ['v=spf1 ?'], warning: null, namesUs: false },
      results.map((result, index) => ({ address: `192.0.2.${index}`, result, comment: 'why' })),
    );

  it.each([
    [['pass'], 'pass', null],
    [['pass', 'pass'], 'pass', null],
    [['pass', 'softfail'], 'fail', /192\.0\.2\.1/],
    [['fail'], 'fail', /mail\.p\.example/],
    [['neutral'], 'fail', /does not let/],
    [['permerror'], 'fail', /permerror.*why/],
    [['pass', 'temperror'], 'pending', /could not be evaluated: why/],
    [[], 'fail', /does not let mail\.p\.example/],
  ])('judges evaluations with the result %j', (results, status, reason) => {
    expect(judge(...results)).toMatchObject({
      ...{ status, reason: reason === null ? null : expect.stringMatching(reason), found: ['v=spf1 ?'] },
    });
  });

  it('blames a term before ours when the record names the server and rejects it', () => {
    const record = { kind: 'evaluate', found: ['v=spf1 ?'], warning: null, namesUs: true } as const;
    const refused = [{ address: '192.0.2.1', result: 'fail', comment: 'why' }];
    expect(judgeSpfEvaluations('mail.p.example', record, refused)).toMatchObject({
      ...{ status: 'fail', reason: expect.stringMatching(/an earlier term rejects it/) },
    });
  });

  it('does not fail a domain because the server has no address yet, and says so', () => {
    const record = { kind: 'evaluate', found: ['v=spf1 ?'], warning: null, namesUs: true } as const;
    expect(judgeSpfEvaluations('mail.p.example', record, [])).toMatchObject({
      ...{ status: 'pass', reason: expect.stringMatching(/mail\.p\.example has no address/) },
    });
  });
});

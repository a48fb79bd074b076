import { describe, expect, it } from 'vitest';
import { healthOf } from '../../packages/server/src/routing/destination-health.ts';
import { concludeFindings, type Finding } from '../../packages/server/src/routing/direct-findings.ts';
import {
  chooseNextStep,
  type DirectProgress,
  mayTryElsewhere,
} from '../../packages/server/src/routing/direct-steps.ts';

function progress(changes: Partial<DirectProgress> = {}): DirectProgress {
  return { hosts: [], connects: 0, elapsedMs: 0, undecided: 1, ...changes };
}

const host = (name: string, addresses: readonly string[] | null) => ({ name, addresses });

describe('the next step of an attempt', () => {
  it('looks a server up, tries its addresses, and continues with the next server', () => {
    expect(chooseNextStep(progress({ hosts: [host('a', null), host('b', null)] }))).toEqual({
      do: 'look-up',
      host: 'a',
    });
    expect(chooseNextStep(progress({ hosts: [host('a', ['1', '2']), host('b', null)] }))).toEqual({
      do: 'connect',
      host: 'a',
      address: '1',
    });
    expect(chooseNextStep(progress({ hosts: [host('a', []), host('b', null)] }))).toEqual({ do: 'look-up', host: 'b' });
    expect(chooseNextStep(progress({ hosts: [host('a', []), host('b', [])] }))).toEqual({ do: 'end' });
  });

  it('ends when every recipient has a reply, after five connections, five servers, or five minutes', () => {
    const hosts = [host('a', ['1'])];
    expect(chooseNextStep(progress({ hosts, undecided: 0 }))).toEqual({ do: 'end' });
    expect(chooseNextStep(progress({ hosts, connects: 4 })).do).toBe('connect');
    expect(chooseNextStep(progress({ hosts, connects: 5 }))).toEqual({ do: 'end' });
    expect(chooseNextStep(progress({ hosts, elapsedMs: 299_999 })).do).toBe('connect');
    expect(chooseNextStep(progress({ hosts, elapsedMs: 300_000 }))).toEqual({ do: 'end' });
    const six = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => host(name, name === 'f' ? ['1'] : []));
    expect(chooseNextStep(progress({ hosts: six }))).toEqual({ do: 'end' });
    expect(chooseNextStep(progress({ hosts: six.slice(1) }))).toMatchObject({ do: 'connect', host: 'f' });
  });

  it('asks elsewhere only about recipients without a reply that no server may have accepted', () => {
    const verdict = { recipient: 'a@x.test', reason: '', reply: null, ambiguous: false, outcome: 'deferred' } as const;
    const reply = { code: 451, enhanced: null, text: '', server: null };
    expect(mayTryElsewhere(verdict)).toBe(true);
    expect(mayTryElsewhere({ ...verdict, ambiguous: true })).toBe(false);
    expect(mayTryElsewhere({ ...verdict, reply })).toBe(false);
    expect(mayTryElsewhere({ ...verdict, outcome: 'refused' })).toBe(false);
    expect(mayTryElsewhere({ ...verdict, outcome: 'accepted' })).toBe(false);
  });
});

describe('an attempt without a reply', () => {
  const finding = (kind: Finding['kind'], reason = 'No.', code = 0): Finding => ({
    kind,
    reason,
    reply: code === 0 ? null : { code, enhanced: null, text: '', server: null },
  });
  const found = { isImplicit: false, isVerified: false };

  it('is retried when a server may respond later, with the first reply of one of them', () => {
    const findings = [finding('no-address'), finding('unreachable', 'Off.'), finding('unreachable', 'Busy.', 421)];
    expect(concludeFindings('a.test', findings, found)).toMatchObject({
      outcome: 'deferred',
      reply: { code: 421 },
      reason: 'No. Off. Busy.',
      isBeforeMail: true,
    });
    expect(concludeFindings('a.test', [finding('no-address')], found)).toMatchObject({ outcome: 'deferred' });
    expect(concludeFindings('a.test', [], found)).toMatchObject({ outcome: 'deferred', reply: null });
  });

  it('says nothing of the servers when none was asked, or a policy demanded too much', () => {
    const verified = { ...found, isVerified: true };
    for (const kind of ['unresolved', 'no-address', 'untrusted'] as const) {
      const concluded = concludeFindings('a.test', [finding(kind)], verified);
      expect(concluded, kind).toMatchObject({ isAboutDomain: true });
      expect(healthOf([{ ...concluded, recipient: 'a@a.test', ambiguous: false }]), kind).toBe('unknown');
      const both = [finding(kind), finding('unreachable')];
      expect(concludeFindings('a.test', both, verified), kind).not.toHaveProperty('isAboutDomain');
    }
  });

  it('is final when no server may ever be connected to, or the domain has neither servers nor an address', () => {
    expect(concludeFindings('a.test', [finding('forbidden'), finding('forbidden')], found)).toMatchObject({
      outcome: 'refused',
      classification: 'unknown',
    });
    expect(concludeFindings('a.test', [finding('forbidden'), finding('unreachable')], found).outcome).toBe('deferred');
    expect(concludeFindings('a.test', [finding('no-address')], { ...found, isImplicit: true })).toMatchObject({
      outcome: 'refused',
      classification: 'hard',
    });
    expect(concludeFindings('a.test', [finding('unreachable')], { ...found, isImplicit: true }).outcome).toBe(
      'deferred',
    );
  });

  it('says so when a policy demanded more of the servers', () => {
    const { reason } = concludeFindings('a.test', [finding('unreachable', 'Bad.')], { ...found, isVerified: true });
    expect(reason).toBe('The MTA-STS policy of a.test requires TLS with a valid certificate. Bad.');
  });
});

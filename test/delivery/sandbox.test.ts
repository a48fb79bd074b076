import { describe, expect, it } from 'vitest';
import { createCaptureTransport } from '../../packages/server/src/delivery/capture.ts';
import { createSandboxTransport, decideSandboxVerdict } from '../../packages/server/src/delivery/sandbox.ts';
import type { OutgoingMessage } from '../../packages/server/src/smtp-client/transport.ts';
import { makeOutgoingMessage } from '../harness/smtp-client-options.ts';

const at = (local: string) => `${local}@sandbox.test`;

describe('the verdict on a test address', () => {
  it.each([
    ['delivered', 'accepted', 250],
    ['complained', 'accepted', 250],
    ['bounced', 'refused', 550],
    ['soft', 'refused', 552],
    ['blocked', 'refused', 550],
    ['anything-else', 'accepted', 250],
    ['constructor', 'accepted', 250],
    ['__proto__', 'accepted', 250],
    ['bouncedx', 'accepted', 250],
    ['x+bounced', 'accepted', 250],
  ])(
    '%s is %s with %i, with a label too, on every attempt',
    { tags: ['contract-test-addresses.label'] },
    (local, outcome, code) => {
      for (const address of [at(local), at(`${local}+label`), at(`${local}+a+b`), at(local.toUpperCase())]) {
        for (const attempt of [1, 2]) {
          const verdict = decideSandboxVerdict(address, attempt);
          expect(verdict).toMatchObject({ recipient: address, outcome, reply: { code } });
        }
      }
    },
  );

  it('`deferred` defers the first attempt, without a wait, and accepts the second', () => {
    expect(decideSandboxVerdict(at('deferred+x'), 1)).toMatchObject({ outcome: 'deferred', retryAtOnce: true });
    expect(decideSandboxVerdict(at('deferred+x'), 2)).toMatchObject({ outcome: 'accepted' });
  });

  it('names the classification of the address', () => {
    const classes = ['bounced', 'soft', 'blocked'].map((local) => decideSandboxVerdict(at(local), 1).classification);
    expect(classes).toEqual(['hard', 'soft', 'block']);
    expect(decideSandboxVerdict(at('complained'), 1).complaint).toBe(true);
  });
});

describe('the sandbox’s transport', () => {
  it('puts what it accepts into the development mailbox, and nothing else', async () => {
    const kept: OutgoingMessage[] = [];
    const mailbox = createCaptureTransport((outgoing) => {
      kept.push(outgoing);
      return Promise.resolve();
    });
    const sandbox = createSandboxTransport(mailbox);
    const verdicts = await sandbox.send(
      makeOutgoingMessage({ recipients: [at('delivered'), at('bounced'), at('other')] }),
    );
    expect(verdicts.map(({ outcome }) => outcome)).toEqual(['accepted', 'refused', 'accepted']);
    expect(kept.map(({ recipients }) => recipients)).toEqual([[at('delivered'), at('other')]]);
    await sandbox.send(makeOutgoingMessage({ recipients: [at('bounced')] }));
    expect(kept).toHaveLength(1);
  });

  it('defers only what the mailbox could not store, so that it is retried and not lost', async () => {
    let works = false;
    const mailbox = createCaptureTransport(() => (works ? Promise.resolve() : Promise.reject(new Error('disk full'))));
    const sandbox = createSandboxTransport(mailbox);
    const outgoing = makeOutgoingMessage({ recipients: [at('delivered'), at('bounced'), at('complained')] });
    expect(await sandbox.send(outgoing)).toMatchObject([
      { recipient: at('delivered'), outcome: 'deferred', reason: expect.stringContaining('disk full') },
      { recipient: at('bounced'), outcome: 'refused' },
      { recipient: at('complained'), outcome: 'deferred' },
    ]);
    works = true;
    const again = await sandbox.send({ ...outgoing, recipients: [at('delivered'), at('complained')], attempt: 2 });
    expect(again).toMatchObject([{ outcome: 'accepted' }, { outcome: 'accepted', complaint: true }]);
  });

  it('responds the same without a mailbox, and is always ready', async () => {
    const sandbox = createSandboxTransport(null);
    expect(await sandbox.send(makeOutgoingMessage({ recipients: [at('delivered')] }))).toMatchObject([
      { outcome: 'accepted' },
    ]);
    expect(await sandbox.check()).toEqual({ ok: true, reason: null });
    await sandbox.close();
  });
});

describe('the capture transport', () => {
  it('defers what it cannot store, with the reason', async () => {
    const capture = createCaptureTransport(() => Promise.reject(new Error('disk full')));
    expect(await capture.send(makeOutgoingMessage({ recipients: ['a@b.co', 'c@d.co'] }))).toMatchObject([
      { recipient: 'a@b.co', outcome: 'deferred', reason: expect.stringContaining('disk full') },
      { recipient: 'c@d.co', outcome: 'deferred' },
    ]);
  });
});

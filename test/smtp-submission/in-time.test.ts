import { describe, expect, it } from 'vitest';
import { inTime } from '../../packages/server/src/smtp-submission/in-time.ts';

const FAR = 60_000;

describe('work with a deadline for its reply', () => {
  it('is confirmed when it is done in time', async () => {
    const gone = new AbortController().signal;
    const work = async (claim: () => boolean) => (claim() ? 'done' : 'undone');
    expect(await inTime({ limitMs: FAR, graceMs: FAR, gone }, work)).toEqual({ kind: 'done', value: 'done' });
    const failing = inTime({ limitMs: FAR, graceMs: FAR, gone }, () => Promise.reject(new Error('broken')));
    await expect(failing).rejects.toThrow('broken');
  });

  it('is late at its limit, and must not be done from then on', async () => {
    const release = Promise.withResolvers<void>();
    const claimed = Promise.withResolvers<boolean>();
    const gone = new AbortController().signal;
    const outcome = await inTime({ limitMs: 5, graceMs: FAR, gone }, async (claim) => {
      await release.promise;
      claimed.resolve(claim());
    });
    expect(outcome).toEqual({ kind: 'late' });
    release.resolve();
    expect(await claimed.promise).toBe(false);
  });

  it('is late as soon as no one waits, and still confirmed when it could no longer be undone', async () => {
    const gone = new AbortController();
    gone.abort();
    expect(await inTime({ limitMs: FAR, graceMs: FAR, gone: gone.signal }, () => new Promise(() => undefined))).toEqual(
      {
        kind: 'late',
      },
    );
    const leaving = new AbortController();
    const release = Promise.withResolvers<string>();
    const outcome = inTime({ limitMs: FAR, graceMs: FAR, gone: leaving.signal }, async (claim) => {
      expect(claim()).toBe(true);
      leaving.abort();
      return await release.promise;
    });
    release.resolve('done');
    expect(await outcome).toEqual({ kind: 'done', value: 'done' });
  });

  it('abandons a commit without a response within its grace period', async () => {
    const gone = new AbortController().signal;
    const outcome = inTime({ limitMs: 5, graceMs: 5, gone }, async (claim) => {
      claim();
      await new Promise(() => undefined);
    });
    expect(await outcome).toEqual({ kind: 'late' });
  });
});

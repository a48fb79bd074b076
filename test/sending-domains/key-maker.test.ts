import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { generateDkimKey } from '../../packages/server/src/sending-domains/dkim-key.ts';
import { createKeyMaker } from '../../packages/server/src/sending-domains/key-maker.ts';

describe('creating RSA keys', () => {
  it('does not use the threads that sign mail', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    let made = 0;
    // Twice as many as libuv has threads: in its pool the signature would come after the first of them.
    const keys = Array.from({ length: 8 }, () => generateDkimKey().finally(() => (made += 1)));
    await new Promise<void>((resolve) => sign('sha256', Buffer.alloc(500), privateKey, () => resolve()));
    expect(made).toBe(0);
    expect(new Set((await Promise.all(keys)).map(({ publicKeyBase64 }) => publicKeyBase64)).size).toBe(8);
  });

  it('creates one at a time, for all callers', async () => {
    let atOnce = 0;
    const maker = createKeyMaker(
      async () => null,
      async () => {
        atOnce += 1;
        expect(atOnce).toBe(1);
        await new Promise<void>((resolve) => setImmediate(resolve));
        atOnce -= 1;
        return { privateKeyPem: '', publicKeyBase64: '' };
      },
    );
    await Promise.all(['a', 'b', 'a', 'c'].map((account) => maker.make(account)));
  });

  it('continues after one that failed', async () => {
    const outcomes = [
      Promise.reject(new Error('no memory')),
      Promise.resolve({ privateKeyPem: '', publicKeyBase64: '' }),
    ];
    const maker = createKeyMaker(
      async () => null,
      () => outcomes.shift() ?? Promise.reject(new Error('there is none')),
    );
    const [first, second] = await Promise.allSettled([maker.make('a'), maker.make('a')]);
    expect([first?.status, second?.status]).toEqual(['rejected', 'fulfilled']);
  });
});

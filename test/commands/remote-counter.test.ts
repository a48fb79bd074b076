import { expect, it } from 'vitest';
import { createRemoteCounter } from '../../packages/server/src/commands/remote-counter.ts';
import { createFakeClock } from '../harness/fake-clock.ts';

it('counts in the process while the supervisor does not respond', async () => {
  const counter = createRemoteCounter(createFakeClock(), () => undefined);
  const take = () => counter.take('sign-ins', '192.0.2.1', 2);
  expect(await Promise.all([take(), take(), take()])).toEqual([null, null, 60]);
});

it('returns what the supervisor counted', async () => {
  const counter = createRemoteCounter(createFakeClock(), ({ id }) => counter.settle(id, 7));
  expect(await counter.take('sign-ins', '192.0.2.1', 2)).toBe(7);
});

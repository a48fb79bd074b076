import { expect, it } from 'vitest';
import { startInSlices } from '../../packages/server/src/time-slice.ts';

it('serves other work every 2 ms or so while it works on a batch', async () => {
  let served = 0;
  let isOver = false;
  const serve = () => {
    served += 1;
    if (!isOver) setImmediate(serve);
  };
  setImmediate(serve);
  const steps = Array.from({ length: 100 }, (_, index) => index);
  const results = await startInSlices(steps, (index) => {
    const beganMs = performance.now();
    while (performance.now() - beganMs < 0.5);
    return index;
  });
  isOver = true;
  expect(results).toEqual(steps);
  // 50 ms of work: 25 slices of 2 ms, or 5 of 10 ms.
  expect(served).toBeGreaterThan(10);
});

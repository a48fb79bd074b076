import { afterEach } from 'vitest';

type CleanUp = () => unknown;

/**
 * Runs the functions passed to the returned function after the current test, in parallel, so that a client's disconnect need not wait for a
 * server that does not respond.
 */
export function useCleanUps(): (cleanUp: CleanUp) => void {
  const cleanUps: CleanUp[] = [];
  afterEach(async () => {
    await Promise.all(cleanUps.splice(0).map(async (cleanUp) => cleanUp()));
  });
  return (cleanUp) => cleanUps.push(cleanUp);
}

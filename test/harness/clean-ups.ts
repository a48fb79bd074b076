import { afterEach } from 'vitest';

type CleanUp = () => unknown;

/**
 * For a test file: what is passed to the returned function runs after the current test, all of it at once, so that a
 * client that says goodbye need not wait for a server that is silent.
 */
export function useCleanUps(): (cleanUp: CleanUp) => void {
  const cleanUps: CleanUp[] = [];
  afterEach(async () => {
    await Promise.all(cleanUps.splice(0).map(async (cleanUp) => cleanUp()));
  });
  return (cleanUp) => cleanUps.push(cleanUp);
}

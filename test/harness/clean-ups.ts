import { afterEach } from 'vitest';

type CleanUp = () => unknown;

/**
 * For a test file: what is given to the answered function runs after the present test, all of it at once, so that a
 * client that says goodbye need not wait for a server that is silent.
 */
export function useCleanUps(): (cleanUp: CleanUp) => void {
  const cleanUps: CleanUp[] = [];
  afterEach(async () => {
    await Promise.all(cleanUps.splice(0).map(async (cleanUp) => cleanUp()));
  });
  return (cleanUp) => cleanUps.push(cleanUp);
}

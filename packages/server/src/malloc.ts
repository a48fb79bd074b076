/**
 * Settings of glibc's malloc, which reads them when a process starts. Without them it learns: once a buffer of 20 MB was freed, it takes
 * everything smaller from heaps that only shrink from their end, one for each thread, and keeps what it once needed.
 */
export const MALLOC_SETTINGS: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: String(128 * 1024),
  MALLOC_TRIM_THRESHOLD_: String(2 * 1024 * 1024),
};

/**
 * Starts the program again in the same process with these settings, which only the environment can bring. To be called before anything else is
 * done. Does nothing where an operator has settings of their own.
 */
export function boundMalloc(environment: NodeJS.ProcessEnv): void {
  const { execve, platform } = process;
  // Elsewhere there is another malloc. A channel to a parent would be lost.
  if (platform !== 'linux' || execve === undefined || process.send !== undefined) return;
  if (Object.keys(MALLOC_SETTINGS).some((name) => environment[name] !== undefined)) return;
  const words = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  execve.call(process, process.execPath, words, { ...environment, ...MALLOC_SETTINGS });
}

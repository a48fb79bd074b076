/**
 * Settings of glibc's malloc, which reads them when a process starts. By default it adapts: once a buffer of 20 MB was freed, it takes
 * everything smaller from heaps that only shrink from their end, one for each thread, and never returns that memory.
 */
export const MALLOC_SETTINGS: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: String(128 * 1024),
  MALLOC_TRIM_THRESHOLD_: String(2 * 1024 * 1024),
};

/**
 * Restarts the program in the same process with these settings, which only the environment can pass. Call it before anything else. Does
 * nothing if the operator has already set some.
 */
export function boundMalloc(environment: NodeJS.ProcessEnv): void {
  const { execve, platform } = process;
  // Other platforms have another malloc. A channel to a parent process would be lost.
  if (platform !== 'linux' || execve === undefined || process.send !== undefined) return;
  if (Object.keys(MALLOC_SETTINGS).some((name) => environment[name] !== undefined)) return;
  const words = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  execve.call(process, process.execPath, words, { ...environment, ...MALLOC_SETTINGS });
}

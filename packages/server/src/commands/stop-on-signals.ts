import { watchParentProcesses } from './parent-processes.ts';

const EXIT_WITHIN_MS = 14_000;
/** A terminal, npx and pnpm each forward one Ctrl-C, so it arrives more than once: only a later signal counts as a second one. */
const ONE_SIGNAL_MS = 1_000;

export interface StopOptions {
  /** Runs once. Resolves with the exit code. */
  readonly stop: () => Promise<number>;
  /** Called before an immediate exit. */
  readonly abandon?: () => void;
  /** Whether this process also stops when the package manager that started it ends. */
  readonly watchesParents: boolean;
}

/** Stops the process cleanly on the first signal, and exits at once if that takes too long or a later signal arrives. */
export interface Stopping {
  /** Stops everything without exiting. All calls wait for the same stop. */
  stop(): Promise<number>;
  /** Does what the first signal does. */
  stopAndExit(): void;
}

export function stopOnSignals({ stop: run, abandon, watchesParents }: StopOptions): Stopping {
  let stopping: Promise<number> | null = null;
  let signalledAtMs: number | null = null;
  const stop = () => {
    stopping ??= run();
    return stopping;
  };
  const exitNow = () => {
    abandon?.();
    process.exit(1);
  };
  const stopAndExit = () => {
    if (signalledAtMs !== null) return;
    signalledAtMs = performance.now();
    setTimeout(exitNow, EXIT_WITHIN_MS).unref();
    stop().then(
      (code) => process.exit(code),
      () => process.exit(1),
    );
  };
  const onSignal = () => {
    if (signalledAtMs === null) stopAndExit();
    else if (performance.now() - signalledAtMs >= ONE_SIGNAL_MS) exitNow();
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  if (watchesParents) watchParentProcesses(stopAndExit);
  return { stop, stopAndExit };
}

/** Processes a backlog in the background. */
export interface BacklogWorker {
  /** Starts to empty the backlog, unless that is already running. */
  run(): Promise<void>;
  /** Ends after the current statement. */
  stop(): Promise<void>;
}

/** `take`: processes a part of the backlog and returns how much; 0 if nothing is left to do here. `what`: names the task in error logs. */
export function createBacklogWorker(options: {
  readonly take: () => Promise<number>;
  readonly what: string;
  readonly onError: (error: unknown, what: string) => void;
}): BacklogWorker {
  let running: Promise<void> | null = null;
  let stopped = false;

  async function empty(): Promise<void> {
    try {
      while (!stopped && (await options.take()) > 0);
    } catch (error) {
      options.onError(error, options.what);
    }
  }

  function run(): Promise<void> {
    running ??= empty().finally(() => {
      running = null;
    });
    return running;
  }

  return {
    run,
    async stop() {
      stopped = true;
      await running;
    },
  };
}

/** Works off a backlog behind everybody's back. */
export interface BacklogWorker {
  /** Empties the backlog, unless that is under way. */
  run(): Promise<void>;
  /** Ends after the statement that is under way. */
  stop(): Promise<void>;
}

/** `take`: works off some of the backlog and answers how much, 0 where nothing is left to be done here. `what`: names it where it fails. */
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

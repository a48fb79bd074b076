import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** Asks `/health` again and again, from its own process. */
export interface HealthProbe {
  /** Begins a new measurement. */
  begin(): void;
  /** Ends it: how long each probe took, in milliseconds. */
  end(): Promise<readonly number[]>;
  stop(): void;
}

/** Starts a probe of the server at this port. */
export async function startHealthProbe(port: number): Promise<HealthProbe> {
  const child: ChildProcess = fork(new URL('./health-probe-process.ts', import.meta.url), [String(port)]);
  await once(child, 'message');
  return {
    begin: () => void child.send('begin'),
    end: async () => {
      const response = once(child, 'message');
      child.send('end');
      const [latenciesMs] = await response;
      return latenciesMs as readonly number[]; // What health-probe-process.ts sends.
    },
    stop: () => void child.kill(),
  };
}

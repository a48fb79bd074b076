import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** Requests `/health` repeatedly, from its own process. */
export interface HealthProbe {
  /** Starts a new measurement. */
  begin(): void;
  /** Ends the measurement. Returns the duration of each probe in milliseconds. */
  end(): Promise<readonly number[]>;
  stop(): void;
}

/** Starts probing the server at this port. */
export async function startHealthProbe(port: number): Promise<HealthProbe> {
  const child: ChildProcess = fork(new URL('./health-probe-process.ts', import.meta.url), [String(port)]);
  await once(child, 'message');
  return {
    begin: () => void child.send('begin'),
    end: async () => {
      const response = once(child, 'message');
      child.send('end');
      const [latenciesMs] = await response;
      return latenciesMs as readonly number[]; // Sent by health-probe-process.ts.
    },
    stop: () => void child.kill(),
  };
}

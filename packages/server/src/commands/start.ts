import { availableParallelism } from 'node:os';
import type { Config } from '../config.ts';
import { memoryBytes } from '../postgres/machine-memory.ts';
import { chooseProcesses } from './process-count.ts';
import { createStartOutput, sayBegin } from './start-output.ts';

/**
 * `postrider-server start`: starts everything, prints what a new user needs, and ends with a line that starts with `ready`. Modules are
 * loaded only when needed, because a supervisor uses few of them.
 */
export async function start(config: Config): Promise<void> {
  const processes = chooseProcesses(config.processes, {
    processors: availableParallelism(),
    memoryBytes: memoryBytes(),
  });
  const output = createStartOutput(config, processes > 1);
  sayBegin(config, output);
  if (processes === 1) {
    const { startAlone } = await import('./start-alone.ts');
    return await startAlone(config, output);
  }
  const { supervise } = await import('./supervisor.ts');
  return await supervise(config, processes, output);
}

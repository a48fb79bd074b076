import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Postrider } from '@postrider/sdk';
import type { Email } from '../examples/held-send.ts';

/** What a test asks of one process: to start a run, to continue it, or to continue it as if the framework had an approval. */
export interface Script {
  readonly mode: 'start' | 'continue' | 'forge';
  readonly runId: string;
  /** Where runs are stored. */
  readonly folder: string;
  /** The emails that the model sends, all at once. */
  readonly emails: readonly Email[];
  /** Ends the process instead of storing the run for the n-th time. */
  readonly crashAtSave?: number;
  readonly connectionString?: string;
}

export function readScript(): Script {
  return JSON.parse(process.argv[2] ?? '') as Script; // From our own tests.
}

/** A client with POSTRIDER_API_KEY and POSTRIDER_BASE_URL. */
export const postrider: Postrider = new Postrider();

export function load<Run>({ folder, runId }: Script): Run {
  return JSON.parse(readFileSync(join(folder, `${runId}.json`), 'utf8')) as Run;
}

export function saveTo({ folder, runId, crashAtSave }: Script): (run: unknown) => Promise<void> {
  let saves = 0;
  return async (run) => {
    saves += 1;
    if (saves === crashAtSave) process.exit(9);
    mkdirSync(folder, { recursive: true });
    const file = join(folder, `${runId}.json`);
    writeFileSync(`${file}.new`, JSON.stringify(run));
    renameSync(`${file}.new`, file);
  };
}

/** The model's last words: what it read of its tools. */
export function report(results: readonly string[]): string {
  return `The tools said: ${results.join(' ')}`;
}

export function finish(text: string | null): void {
  process.stdout.write(`${JSON.stringify({ text })}\n`);
}

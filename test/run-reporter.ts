import { writeFile } from 'node:fs/promises';
import { relative } from 'node:path';
import type { SerializedError } from 'vitest';
import type { Reporter, TestModule } from 'vitest/node';

/** What a run came to, as `test/run.ts` needs it. */
export interface RunSummary {
  readonly passed: number;
  readonly skipped: number;
  /** Tests that failed, by their file from the project's root. */
  readonly failed: readonly { readonly file: string; readonly name: string }[];
  /** Failures that belong to no test: files that did not load, hooks that failed, errors no one caught. */
  readonly otherErrors: number;
}

/** Writes the summary of a run to the file that `RUN_SUMMARY` names. */
export default class RunReporter implements Reporter {
  async onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): Promise<void> {
    const path = process.env['RUN_SUMMARY'];
    if (path !== undefined) await writeFile(path, JSON.stringify(summarize(modules, unhandled)));
  }
}

function summarize(modules: readonly TestModule[], unhandled: readonly SerializedError[]): RunSummary {
  const count = (state: 'passed' | 'skipped') =>
    modules.reduce((sum, { children }) => sum + [...children.allTests(state)].length, 0);
  const failed = modules.flatMap(({ children, moduleId }) =>
    [...children.allTests('failed')].map(({ fullName }) => ({
      file: relative(process.cwd(), moduleId),
      name: fullName,
    })),
  );
  const suiteErrors = modules.flatMap((module) => [
    ...module.errors(),
    ...[...module.children.allSuites()].flatMap((suite) => suite.errors()),
  ]);
  return {
    ...{ passed: count('passed'), skipped: count('skipped') },
    ...{ failed, otherErrors: unhandled.length + suiteErrors.length },
  };
}

import type { Finding, Judgement, Rate, Remark } from '../parts/findings.ts';

/** The result of one benchmark in a run of all benchmarks. */
export interface BenchResult {
  readonly name: string;
  readonly title: string;
  /** The command that runs it again. */
  readonly command: string;
  readonly date: string;
  readonly seconds: number;
  /** Why some or all values are missing; null if the benchmark completed. */
  readonly fault: string | null;
  readonly judgements: readonly Judgement[];
  readonly rates: readonly Rate[];
}

/** A full run, as it is saved. */
export interface RunResults {
  readonly version: string;
  readonly commit: string | null;
  readonly machine: string;
  readonly postgres: string;
  readonly results: readonly BenchResult[];
}

/** The results of the full run that docs/performance.md is generated from. */
export const RESULTS_FILE = 'bench/results/full.json';

/** Why bounds were not reached, written by hand. */
export const REASONS_FILE = 'bench/results/reasons.json';

/** The largest costs of each kind of work, written by hand. */
export const COSTS_FILE = 'bench/results/costs.json';

export function toResult(run: Omit<BenchResult, 'judgements' | 'rates'>, findings: readonly Finding[]): BenchResult {
  return {
    ...run,
    fault: remarkOf(findings, 'skipped') ?? run.fault,
    judgements: findings.filter((finding) => finding.kind === 'bound'),
    rates: findings.filter((finding) => finding.kind === 'rate'),
  };
}

/** Replaces the results of the benchmarks that ran again. Results of another machine or version are dropped. */
export function mergeRuns(kept: RunResults | null, run: RunResults, order: readonly string[]): RunResults {
  const isSame = kept !== null && kept.machine === run.machine && kept.version === run.version;
  const again = new Set(run.results.map(({ name }) => name));
  const others = isSame ? kept.results.filter(({ name }) => !again.has(name)) : [];
  const results = [...others, ...run.results].toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
  return { ...run, results };
}

export function remarkOf(findings: readonly Finding[], kind: Remark['kind']): string | null {
  const remark = findings.find((finding) => finding.kind === kind);
  return remark !== undefined && 'text' in remark ? remark.text : null;
}

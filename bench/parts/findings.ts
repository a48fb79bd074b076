import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** A measured value and its bound. */
export interface Judgement {
  readonly kind: 'bound';
  /** What was measured, with its unit. */
  readonly what: string;
  readonly value: number;
  readonly bound: number;
  readonly goal: 'at least' | 'at most';
}

/** The rate of one system, to be compared with other systems that do the same work. */
export interface Rate {
  readonly kind: 'rate';
  readonly work: string;
  readonly system: string;
  readonly perSecond: number;
}

/** The machine, the settings of the database, why a benchmark did not run, or that it completed. */
export interface Remark {
  readonly kind: 'machine' | 'postgres' | 'skipped' | 'ended';
  readonly text: string;
}

/** One result of a benchmark. */
export type Finding = Judgement | Rate | Remark;

/** The environment variable with the file for the findings, set by the runner of all benchmarks. */
export const FINDINGS_VARIABLE = 'BENCH_FINDINGS';

/** Writes a finding to the file of the runner of all benchmarks, if it started this process. */
export function note(finding: Finding): void {
  const file = process.env[FINDINGS_VARIABLE];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(finding)}\n`);
}

export function readFindings(file: string): readonly Finding[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Finding); // Written by `note`.
}

export function isReached({ value, bound, goal }: Pick<Judgement, 'value' | 'bound' | 'goal'>): boolean {
  return goal === 'at least' ? value >= bound : value <= bound;
}

import { isReached } from '../parts/findings.ts';
import { describeBound, toFigure } from './figures.ts';
import type { BenchResult } from './results.ts';

/** One table of all values with their bounds, for the terminal. */
export function renderTable(results: readonly BenchResult[]): string {
  const rows = [['benchmark', 'measured', 'value', 'bound', ''], ...results.flatMap(toRows)];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const pad = ([name = '', what = '', value = '', bound = '', verdict = '']: readonly string[]) =>
    [
      name.padEnd(widths[0] ?? 0),
      what.padEnd(widths[1] ?? 0),
      value.padStart(widths[2] ?? 0),
      bound.padEnd(widths[3] ?? 0),
      verdict,
    ].join('  ');
  return rows.map((row) => pad(row).trimEnd()).join('\n');
}

function toRows({ name, fault, judgements }: BenchResult): readonly (readonly string[])[] {
  const rows = judgements.map((judgement) => [
    name,
    judgement.what,
    toFigure(judgement.value),
    describeBound(judgement),
    isReached(judgement) ? 'reached' : 'MISSED',
  ]);
  return fault === null ? rows : [...rows, [name, fault, '', '', 'NOT RUN']];
}

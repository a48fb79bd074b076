import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type BenchResult,
  COSTS_FILE,
  mergeRuns,
  REASONS_FILE,
  RESULTS_FILE,
  type RunResults,
  toResult,
} from '../../bench/all/results.ts';
import { renderTable } from '../../bench/all/table.ts';
import type { Finding } from '../../bench/parts/findings.ts';
import { CAPACITY } from '../../bench/soak/capacity.ts';
import {
  type Costs,
  findMissed,
  findReason,
  type Reason,
  renderPerformanceDoc,
} from '../../tools/generate/performance-doc.ts';

const FINDINGS: readonly Finding[] = [
  { kind: 'bound', what: 'throughput, ratio', value: 1.314, bound: 1.3, goal: 'at least' },
  { kind: 'bound', what: 'memory in MB', value: 312.4, bound: 300, goal: 'at most' },
  { kind: 'rate', work: 'accept', system: 'Postrider', perSecond: 3_000 },
  { kind: 'rate', work: 'accept', system: 'bare handler', perSecond: 2_000 },
];

function resultOf(name: string, findings: readonly Finding[] = FINDINGS): BenchResult {
  const run = { name, title: `Title of ${name}`, command: `pnpm bench ${name}`, date: '2026-01-02T03:04:05Z' };
  return toResult({ ...run, seconds: 60, fault: null }, findings);
}

const RUN: RunResults = {
  ...{ version: '1.0.0', commit: 'abc', machine: '2 cores', postgres: 'fsync=on' },
  results: [resultOf('accept'), resultOf('postfix', [{ kind: 'skipped', text: 'not installed' }])],
};

describe('the table of all benchmarks', () => {
  it('has a row for each value, and one for each benchmark that did not run', () => {
    expect(renderTable(RUN.results).split('\n')).toEqual([
      'benchmark  measured           value  bound',
      'accept     throughput, ratio   1.31  at least 1.3  reached',
      'accept     memory in MB         312  at most 300   MISSED',
      'postfix    not installed                           NOT RUN',
    ]);
  });
});

describe('docs/performance.md', () => {
  const reason = { benchmark: 'accept', measured: 'memory in MB', reason: 'Garbage collection needs the memory.' };

  it('names the machine, each value with its bound, and why a bound was missed', () => {
    const page = renderPerformanceDoc(RUN, [reason], []);
    expect(page).toContain('| machine | 2 cores |');
    expect(page).toContain('| Title of accept | throughput, ratio | 1.31 | at least 1.3 | reached |');
    expect(page).toContain(
      '| Title of accept | memory in MB | 312 (at most 300) | Garbage collection needs the memory. |',
    );
    expect(page).toContain('| Title of postfix |  | not measured | not installed |');
    expect(page).toContain('| accept | bare handler | 2,000 | 1.5 times as fast |');
  });

  it('lists the largest costs of each kind of work', () => {
    const cost = { what: 'A row', where: 'PostgreSQL', beforeUs: null, nowUs: 8, note: 'Users see it.' } as const;
    const page = renderPerformanceDoc(RUN, [reason], [{ work: 'Accepting', costs: [cost] }]);
    expect(page).toContain('### Accepting');
    expect(page).toContain('| A row | PostgreSQL | – | 8 | Users see it. |');
  });

  it('has ten costs for accepting, delivering and webhooks, the saved ones', async () => {
    const file = path.join(import.meta.dirname, '..', '..', COSTS_FILE);
    const saved: readonly Costs[] = JSON.parse(await readFile(file, 'utf8'));
    expect(saved.map(({ costs }) => costs.length)).toEqual([10, 10, 10]);
  });

  it('keeps the results of benchmarks that did not run again, but only for the same machine and version', () => {
    const again = { ...RUN, commit: 'def', results: [resultOf('links', []), resultOf('accept', [])] };
    const order = ['links', 'accept', 'postfix'];
    expect(mergeRuns(RUN, again, order).results.map(({ name }) => name)).toEqual(order);
    expect(mergeRuns(RUN, again, order).results[1]?.judgements).toEqual([]);
    expect(mergeRuns({ ...RUN, machine: '4 cores' }, again, order).results).toHaveLength(2);
    expect(mergeRuns(null, again, order).results).toHaveLength(2);
  });

  it('explains every bound that the saved run missed', async () => {
    const root = path.join(import.meta.dirname, '..', '..');
    if (!existsSync(path.join(root, RESULTS_FILE))) return;
    const run: RunResults = JSON.parse(await readFile(path.join(root, RESULTS_FILE), 'utf8'));
    const reasons: readonly Reason[] = JSON.parse(await readFile(path.join(root, REASONS_FILE), 'utf8'));
    const unexplained = findMissed(run.results).filter(
      ({ result, judgement }) => findReason(reasons, result, judgement) === undefined,
    );
    expect(unexplained.map(({ result, judgement }) => `${result.name}: ${judgement.what}`)).toEqual([]);
  });
});

describe('the disk space in docs/operating.md', () => {
  it('is what the soak benchmark compares with', async () => {
    const page = await readFile(path.join(import.meta.dirname, '..', '..', 'docs', 'operating.md'), 'utf8');
    for (const { name, bytes } of CAPACITY) expect(page).toContain(`| ${name} | ${bytes.toLocaleString('en-US')} |`);
  });
});

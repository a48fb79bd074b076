import { describeBound, toFigure } from '../../bench/all/figures.ts';
import type { BenchResult, RunResults } from '../../bench/all/results.ts';
import { isReached, type Judgement, type Rate } from '../../bench/parts/findings.ts';
import { MARKDOWN_NOTICE, renderTable } from './markdown.ts';

/** Why a bound was not reached, written by hand. */
export interface Reason {
  readonly benchmark: string;
  readonly measured: string;
  readonly reason: string;
}

/** The largest costs of a kind of work, written by hand from profiles. */
export interface Costs {
  readonly work: string;
  readonly costs: readonly {
    readonly what: string;
    readonly where: 'Node' | 'PostgreSQL';
    /** Microseconds of processor time per message, before the work on it; null if it was not measured separately. */
    readonly beforeUs: number | null;
    readonly nowUs: number;
    readonly note: string;
  }[];
}

/** Renders docs/performance.md from the results of a full run of the benchmarks. */
export function renderPerformanceDoc(run: RunResults, reasons: readonly Reason[], costs: readonly Costs[]): string {
  return [
    INTRODUCTION,
    renderRun(run),
    `## Values and bounds\n\n${BOUNDS}\n\n${renderBounds(run.results)}`,
    `## Missed bounds\n\n${renderMissed(run.results, reasons)}`,
    `## Largest costs\n\n${COSTS}\n\n${costs.map(renderCosts).join('\n\n')}`,
    `## Comparison with other systems\n\n${COMPARISON}\n\n${renderRates(run.results)}`,
    `## Run it again\n\n${renderCommands(run.results)}`,
  ]
    .join('\n\n')
    .concat('\n');
}

const INTRODUCTION = `${MARKDOWN_NOTICE}

# Performance

Every value on this page was measured by the benchmarks in [bench](../bench). Messages per second depend on the machine and on its other
load. Most bounds are therefore ratios to the same work without Postrider. Both are measured in the same run, in alternation, on the same
PostgreSQL.`;

const BOUNDS =
  'Each benchmark contains its bounds, and fails if a value misses one. CPU times are per message, without the load generator.';

const COSTS = `Microseconds of processor time per message or event, from profiles of the server (\`perf\`), of PostgreSQL's statements, and of its
processes while they run each statement. Costs in PostgreSQL are the
times of statements or of their parts, so some include a wait for a processor. They were measured in different runs and do not add up
exactly. A dash means that the cost was not measured separately.`;

const COMPARISON = `The systems do the same work on the same machine, one after the other in several rounds. The rates are medians. A bare handler inserts one
row and checks nothing.`;

function renderRun({ version, commit, machine, postgres, results }: RunResults): string {
  const dates = results.map(({ date }) => date.slice(0, 10)).toSorted();
  const [first = '', last = ''] = [dates[0], dates.at(-1)];
  const minutes = Math.round(results.reduce((sum, { seconds }) => sum + seconds, 0) / 60);
  return renderTable(
    ['', ''],
    [
      ['date', first === last ? first : `${first} to ${last}`],
      ['version', commit === null ? version : `${version}, commit ${commit}`],
      ['machine', machine],
      ['PostgreSQL', postgres],
      ['duration', `${minutes} minutes`],
    ],
  );
}

function renderBounds(results: readonly BenchResult[]): string {
  const rows = results.flatMap(({ title, judgements }) =>
    judgements.map((judgement) => [
      title,
      judgement.what,
      toFigure(judgement.value),
      describeBound(judgement),
      isReached(judgement) ? 'reached' : '**missed**',
    ]),
  );
  return renderTable(['benchmark', 'measured', 'value', 'bound', ''], rows);
}

function renderMissed(results: readonly BenchResult[], reasons: readonly Reason[]): string {
  const missed = findMissed(results).map(({ result, judgement }) => [
    result.title,
    judgement.what,
    `${toFigure(judgement.value)} (${describeBound(judgement)})`,
    findReason(reasons, result, judgement)?.reason ?? 'Not explained yet.',
  ]);
  const absent = results.flatMap(({ title, fault }) => (fault === null ? [] : [[title, '', 'not measured', fault]]));
  const rows = [...missed, ...absent];
  return rows.length === 0 ? 'All bounds were reached.' : renderTable(['benchmark', 'measured', 'value', 'why'], rows);
}

/** The bounds that a run missed. */
export function findMissed(
  results: readonly BenchResult[],
): readonly { readonly result: BenchResult; readonly judgement: Judgement }[] {
  return results.flatMap((result) =>
    result.judgements.filter((judgement) => !isReached(judgement)).map((judgement) => ({ result, judgement })),
  );
}

export function findReason(reasons: readonly Reason[], { name }: BenchResult, { what }: Judgement): Reason | undefined {
  return reasons.find(({ benchmark, measured }) => benchmark === name && measured === what);
}

function renderCosts({ work, costs }: Costs): string {
  const rows = costs.map(({ what, where, beforeUs, nowUs, note }) => [
    ...[what, where],
    ...[beforeUs === null ? '–' : toFigure(beforeUs), toFigure(nowUs), note],
  ]);
  return `### ${work}\n\n${renderTable(['cost', 'in', 'before', 'now', 'what was done, or why it stays'], rows)}`;
}

/** Compares each system with Postrider, which is the first one for each kind of work. */
function renderRates(results: readonly BenchResult[]): string {
  const works = Map.groupBy(
    results.flatMap(({ rates }) => rates),
    ({ work }) => work,
  );
  const rows = [...works].flatMap(([work, rates]) => toRows(work, rates));
  return renderTable(['work', 'system', 'messages/s', 'Postrider is'], rows);
}

function toRows(work: string, [own, ...others]: readonly Rate[]): readonly (readonly string[])[] {
  if (own === undefined) return [];
  return [
    [work, own.system, toFigure(own.perSecond), ''],
    ...others.map(({ system, perSecond }) => [
      work,
      system,
      toFigure(perSecond),
      `${toFigure(own.perSecond / perSecond)} times as fast`,
    ]),
  ];
}

function renderCommands(results: readonly BenchResult[]): string {
  const rows = results.map(({ title, command, seconds }) => [title, `\`${command}\``, `${seconds} s`]);
  return `\`pnpm bench\` runs the short form of all benchmarks and prints one table. \`pnpm bench all --full\` runs all of them as they ran for this
page, and \`pnpm generate\` then writes this page again. You can also run each one separately:

${renderTable(['benchmark', 'command', 'time'], rows)}`;
}

import { cpus, release, totalmem } from 'node:os';
import { isReached, type Judgement, note } from './findings.ts';

/** The machine of the measurement: figures are meaningless without it. */
export function describeMachine(settings: Readonly<Record<string, string>>): string {
  const [cpu] = cpus();
  const machine = `${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform} ${release()}, node ${process.version}`;
  const postgres = Object.entries(settings)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');
  note({ kind: 'machine', text: machine });
  if (postgres !== '') note({ kind: 'postgres', text: postgres });
  return `machine: ${machine}\npostgres: ${postgres}`;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value at this quantile, such as 0.99; 0 if there are no values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

export function round(value: number, digits = 0): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** One line that says whether a value meets its bound. */
export function judge(what: string, value: number, bound: number, goal: Judgement['goal']): string {
  const judgement: Judgement = { kind: 'bound', what, value, bound, goal };
  note(judgement);
  return `${isReached(judgement) ? 'reached' : 'MISSED '}  ${what}: ${round(value, 2)} (${goal} ${round(bound, 2)})`;
}

/** Records the rates of several systems that do the same work, each in messages per second. */
export function compareRates(work: string, perSecond: Readonly<Record<string, number>>): void {
  for (const [system, rate] of Object.entries(perSecond)) note({ kind: 'rate', work, system, perSecond: rate });
}

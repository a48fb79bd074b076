import { cpus, release, totalmem } from 'node:os';

/** The machine of the measurement: figures are meaningless without it. */
export function describeMachine(settings: Readonly<Record<string, string>>): string {
  const [cpu] = cpus();
  const database = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  return [
    `machine: ${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform} ${release()}, node ${process.version}`,
    `postgres: ${database.join(', ')}`,
  ].join('\n');
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
export function judge(what: string, value: number, bound: number, goal: 'at least' | 'at most'): string {
  const reached = goal === 'at least' ? value >= bound : value <= bound;
  return `${reached ? 'reached' : 'MISSED '}  ${what}: ${round(value, 2)} (${goal} ${round(bound, 2)})`;
}

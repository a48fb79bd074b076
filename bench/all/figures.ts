import type { Judgement } from '../parts/findings.ts';

export function describeBound({ bound, goal }: Judgement): string {
  return `${goal} ${toFigure(bound)}`;
}

/** Measured values are not precise beyond three digits. */
export function toFigure(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en-US', { maximumFractionDigits: digits });
}

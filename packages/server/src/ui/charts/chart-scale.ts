/** The width of a chart in units of its view box, so that its text has the same size in half and in whole columns. */
export const CHART_WIDTHS = { half: 520, whole: 1_080 } as const;

/** The drawing area of every chart, in units of its view box. */
export const CHART = { height: 200, left: 44, right: 8, top: 10, bottom: 26 } as const;

/** Round values for the lines of the grid, from 0 to at least the largest value. */
export function gridValues(largest: number): readonly number[] {
  const step = niceStep(Math.max(largest, 1) / 4);
  const count = Math.max(1, Math.ceil(largest / step));
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}

function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
  const factor = [1, 2, 5, 10].find((one) => one * power >= rough) ?? 10;
  return Math.max(1, factor * power);
}

export function xOf(index: number, count: number, chartWidth: number): number {
  const width = chartWidth - CHART.left - CHART.right;
  return CHART.left + (width * (index + 0.5)) / Math.max(count, 1);
}

export function yOf(value: number, largest: number): number {
  const height = CHART.height - CHART.top - CHART.bottom;
  return CHART.top + height * (1 - value / Math.max(largest, 1));
}

/** `1,250` as `1,250`, `12,500` as `12.5k`. */
export function shortNumber(value: number): string {
  if (value < 10_000) return value.toLocaleString('en-US');
  if (value < 1_000_000) return `${trim(value / 1_000)}k`;
  return `${trim(value / 1_000_000)}M`;
}

function trim(value: number): string {
  return value.toFixed(1).replace(/\.0$/, '');
}

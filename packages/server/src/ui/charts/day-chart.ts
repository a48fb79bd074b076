import { attributes, type Html, html } from '../../html/page-markup.ts';
import { table } from '../components/table.ts';
import { CHART, CHART_WIDTHS, gridValues, shortNumber, xOf, yOf } from './chart-scale.ts';

export interface ChartSeries {
  readonly label: string;
  /** A value for each day. */
  readonly values: readonly number[];
  readonly isPercent?: boolean;
  /** The number of its color; by default its place among the series. The same thing has the same color in every chart of a page. */
  readonly color?: number;
}

export interface DayChart {
  /** What the chart shows, as one sentence: its title and what screen readers say. */
  readonly title: string;
  /** UTC days, `2026-11-24`, oldest first. */
  readonly days: readonly string[];
  readonly series: readonly ChartSeries[];
  /** `stack` adds the series up, as parts of a whole; `lines` compares them. */
  readonly form: 'stack' | 'lines';
  /** The column that the chart fills; `half` by default. */
  readonly column?: keyof typeof CHART_WIDTHS;
}

/** A chart over days, with the exact numbers one click away. It is drawn by the server and needs no script. */
export function dayChart(chart: DayChart): Html {
  const { title, series, form } = chart;
  const width = widthOf(chart);
  const largest = largestOf(chart);
  const grid = gridValues(largest);
  const top = grid.at(-1) ?? 1;
  const drawn = form === 'stack' ? bars(chart, top) : series.map((one, index) => line(one, index, chart, top));
  const legend = series.map(
    ({ label, values, isPercent, color }, index) =>
      html`<li><i class="c${colorOf(index, color)}"></i>${label}${isPercent === true ? null : html` <b>${sum(values).toLocaleString('en-US')}</b>`}</li>`,
  );
  return html`<figure class="chart stack-tight"><figcaption class="unseen">${title}</figcaption>
${series.length < 2 ? null : html`<ul class="legend">${legend}</ul>`}
<svg viewBox="0 0 ${width} ${CHART.height}" role="img" aria-label="${title}">${gridLines(grid, top, width)}${dayLabels(chart)}${drawn}${hovers(chart)}</svg>
<details class="more"><summary>Exact numbers</summary><div class="scroll">${numbers(chart)}</div></details></figure>`;
}

function widthOf({ column = 'half' }: Pick<DayChart, 'column'>): number {
  return CHART_WIDTHS[column];
}

const COLORS = 10;

function colorOf(index: number, given: number | undefined): number {
  return given ?? (index % COLORS) + 1;
}

function largestOf({ days, series, form }: DayChart): number {
  if (form === 'lines') return Math.max(0, ...series.flatMap(({ values }) => values));
  return Math.max(0, ...days.map((_, day) => sum(series.map(({ values }) => values[day] ?? 0))));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function gridLines(values: readonly number[], top: number, width: number): readonly Html[] {
  return values.map((value) => {
    const y = yOf(value, top).toFixed(1);
    return html`<line class="grid" x1="${CHART.left}" x2="${width - CHART.right}" y1="${y}" y2="${y}"/><text x="${CHART.left - 6}" y="${y}" dy="3.5" text-anchor="end">${shortNumber(value)}</text>`;
  });
}

const DAY = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' });
const LABELS = 7;

function dayWords(day: string): string {
  return DAY.format(new Date(`${day}T00:00:00Z`));
}

function dayLabels({ days, ...chart }: DayChart): readonly Html[] {
  const width = widthOf(chart);
  const every = Math.max(1, Math.ceil(days.length / LABELS));
  return days.flatMap((day, index) =>
    (days.length - 1 - index) % every === 0
      ? [
          html`<text x="${xOf(index, days.length, width).toFixed(1)}" y="${CHART.height - 6}" text-anchor="middle">${dayWords(day)}</text>`,
        ]
      : [],
  );
}

function bars({ days, series, ...chart }: DayChart, top: number): readonly Html[] {
  const width = widthOf(chart);
  const slot = (width - CHART.left - CHART.right) / Math.max(days.length, 1);
  const bar = Math.max(1, Math.min(slot * 0.72, 28));
  return days.flatMap((_, day) => {
    let below = 0;
    return series.flatMap(({ values, color }, index) => {
      const value = values[day] ?? 0;
      if (value === 0) return [];
      const [bottom, end] = [yOf(below, top), yOf(below + value, top)];
      below += value;
      const place = {
        x: (xOf(day, days.length, width) - bar / 2).toFixed(1),
        y: end.toFixed(1),
        width: bar.toFixed(1),
        height: Math.max(0.5, bottom - end).toFixed(1),
        rx: 2,
      };
      return [html`<rect class="bar c${colorOf(index, color)}"${attributes(place)}/>`];
    });
  });
}

function line({ values, color }: ChartSeries, index: number, { days, ...chart }: DayChart, top: number): Html {
  const width = widthOf(chart);
  const points = values.map((value, day) => `${xOf(day, days.length, width).toFixed(1)},${yOf(value, top).toFixed(1)}`);
  return html`<polyline class="line c${colorOf(index, color)}" points="${points.join(' ')}"/>`;
}

/** A strip over each day, whose tooltip names the day and its values. */
function hovers({ days, series, ...chart }: DayChart): readonly Html[] {
  const width = widthOf(chart);
  const slot = (width - CHART.left - CHART.right) / Math.max(days.length, 1);
  return days.map((day, index) => {
    const values = series.map(({ label, values: all, isPercent }) => `${label}: ${write(all[index] ?? 0, isPercent)}`);
    const place = {
      x: (xOf(index, days.length, width) - slot / 2).toFixed(1),
      y: CHART.top,
      width: slot.toFixed(1),
      height: CHART.height - CHART.top - CHART.bottom,
    };
    return html`<rect class="hit"${attributes(place)}><title>${[dayWords(day), ...values].join('\n')}</title></rect>`;
  });
}

function write(value: number, isPercent = false): string {
  return isPercent ? `${value.toFixed(2)} %` : value.toLocaleString('en-US');
}

function numbers({ title, days, series }: DayChart): Html {
  const rows = days.map((day, index) => ({ day, index })).reverse();
  return table({
    caption: title,
    rows,
    columns: [
      { label: 'Day (UTC)', kind: 'lead', cell: ({ day }) => dayWords(day) },
      ...series.map(({ label, values, isPercent }) => ({
        label,
        kind: 'number' as const,
        cell: ({ index }: { readonly index: number }) => write(values[index] ?? 0, isPercent),
      })),
    ],
  });
}

import type { Paint } from './paint.ts';
import { cutToWidth, padToWidth, textWidth } from './text-width.ts';

export interface Column {
  readonly title: string;
  readonly cells: readonly string[];
  /** The least columns it may be cut to; without it the text is never cut. */
  readonly minWidth?: number;
  /** Left out where the rest does not fit, the lowest first; without it the column always stays. */
  readonly dropOrder?: number;
  readonly paint?: (text: string) => string;
}

const GAP = '  ';

/** An aligned table no wider than `width`, which is null where the text goes to no terminal and nothing is cut. */
export function renderTable(columns: readonly Column[], width: number | null, paint: Paint): string {
  const shown = width === null ? columns : dropUntilFitting(columns, width);
  const widths = width === null ? shown.map(naturalWidth) : shareWidth(shown, width);
  const rowCount = Math.max(0, ...shown.map(({ cells }) => cells.length));
  const lines = [
    renderRow(
      shown.map(({ title }) => title.toUpperCase()),
      widths,
    ).map(paint.title),
  ];
  for (let row = 0; row < rowCount; row++) {
    const cells = renderRow(
      shown.map(({ cells }) => cells[row] ?? ''),
      widths,
    );
    lines.push(cells.map((cell, index) => shown[index]?.paint?.(cell) ?? cell));
  }
  return lines.map((cells) => `${cells.join(GAP).trimEnd()}\n`).join('');
}

/** The last cell is not filled up, so that lines carry no trailing spaces. */
function renderRow(cells: readonly string[], widths: readonly number[]): string[] {
  return cells.map((cell, index) => {
    const width = widths[index] ?? 0;
    const cut = cutToWidth(cell, width);
    return index === cells.length - 1 ? cut : padToWidth(cut, width);
  });
}

function dropUntilFitting(columns: readonly Column[], width: number): readonly Column[] {
  let shown = columns;
  while (totalWidth(shown.map(leastWidth)) > width) {
    const droppable = shown.filter(({ dropOrder }) => dropOrder !== undefined);
    const first = droppable.sort((a, b) => (a.dropOrder ?? 0) - (b.dropOrder ?? 0))[0];
    if (first === undefined) return shown;
    shown = shown.filter((column) => column !== first);
  }
  return shown;
}

/** Every column gets its least, and what is left goes where text would be cut, one column of the terminal at a time. */
function shareWidth(columns: readonly Column[], width: number): number[] {
  const widths = columns.map(leastWidth);
  const natural = columns.map(naturalWidth);
  let left = width - totalWidth(widths);
  for (;;) {
    const wanting = natural.flatMap((wanted, index) => (wanted > (widths[index] ?? 0) ? [index] : []));
    if (wanting.length === 0 || left <= 0) return widths;
    for (const index of wanting.slice(0, left)) {
      widths[index] = (widths[index] ?? 0) + 1;
      left -= 1;
    }
  }
}

function naturalWidth({ title, cells }: Column): number {
  return Math.max(textWidth(title), ...cells.map(textWidth));
}

function leastWidth(column: Column): number {
  const natural = naturalWidth(column);
  return column.minWidth === undefined ? natural : Math.min(natural, column.minWidth);
}

function totalWidth(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0) + GAP.length * Math.max(0, widths.length - 1);
}

import type { Paint } from './paint.ts';
import { cutToWidth, padToWidth, textWidth } from './text-width.ts';
import { hangText } from './wrap-text.ts';

export interface Column {
  readonly title: string;
  readonly cells: readonly string[];
  /** The minimum width after a cut; without it, the text is never cut. */
  readonly minWidth?: number;
  /** Columns are dropped until the table fits, the lowest first; without it, the column always stays. */
  readonly dropOrder?: number;
  readonly paint?: (text: string) => string;
  /** Shorter cells for a terminal that is too narrow for the full ones. */
  readonly shortCells?: readonly string[];
  /** For the last column: its text wraps instead of being cut. */
  readonly wraps?: true;
}

const GAP = '  ';

/** An aligned table no wider than `width`; null means that nothing is cut. */
export function renderTable(columns: readonly Column[], width: number | null, paint: Paint): string {
  const shown = width === null ? columns : chooseColumns(columns, width);
  const widths = width === null ? shown.map(naturalWidth) : shareWidth(shown, width);
  const rowCount = Math.max(0, ...shown.map(({ cells }) => cells.length));
  const titles = renderRow(
    shown.map(({ title }) => title.toUpperCase()),
    widths,
  );
  const lines = [titles.map(paint.title).join(GAP).trimEnd()];
  for (let row = 0; row < rowCount; row++) lines.push(...linesOfRow(shown, widths, row, width));
  return lines.map((line) => `${line}\n`).join('');
}

function linesOfRow(
  columns: readonly Column[],
  widths: readonly number[],
  row: number,
  width: number | null,
): readonly string[] {
  const last = columns.at(-1);
  const first = last?.wraps === true ? columns.slice(0, -1) : columns;
  const cells = renderRow(
    [...first.map(({ cells }) => cells[row] ?? ''), ...(last?.wraps === true ? [''] : [])],
    widths,
  );
  const head = cells.map((cell, index) => columns[index]?.paint?.(cell) ?? cell).join(GAP);
  if (last?.wraps !== true) return [head.trimEnd()];
  return hangText(head, last.cells[row] ?? '', width).map((line) => line.trimEnd());
}

/** The last cell is not padded, so that lines have no trailing spaces. */
function renderRow(cells: readonly string[], widths: readonly number[]): string[] {
  return cells.map((cell, index) => {
    const width = widths[index] ?? 0;
    const cut = cutToWidth(cell, width);
    return index === cells.length - 1 ? cut : padToWidth(cut, width);
  });
}

/** Full cells if they fit, else short cells, else fewer columns. */
function chooseColumns(columns: readonly Column[], width: number): readonly Column[] {
  if (totalWidth(columns.map(naturalWidth)) <= width) return columns;
  return dropUntilFitting(
    columns.map((column) => (column.shortCells === undefined ? column : { ...column, cells: column.shortCells })),
    width,
  );
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

/** Gives every column its minimum, and distributes the rest evenly to columns whose text would be cut. */
function shareWidth(columns: readonly Column[], width: number): number[] {
  const widths = columns.map(leastWidth);
  const natural = columns.map(naturalWidth);
  let left = width - totalWidth(widths);
  if (left < 0) return squeeze(columns, widths, -left);
  for (;;) {
    const wanting = natural.flatMap((wanted, index) => (wanted > (widths[index] ?? 0) ? [index] : []));
    if (wanting.length === 0 || left <= 0) return widths;
    for (const index of wanting.slice(0, left)) {
      widths[index] = (widths[index] ?? 0) + 1;
      left -= 1;
    }
  }
}

/** If no more columns can be dropped, the widest ones shrink until the rows fit the terminal. Ids keep their length. */
function squeeze(columns: readonly Column[], widths: readonly number[], excess: number): number[] {
  const squeezed = [...widths];
  const isId = (index: number) => columns[index]?.shortCells !== undefined;
  for (let left = excess; left > 0; left -= 1) {
    const widest = Math.max(...squeezed.filter((_, index) => !isId(index)));
    if (widest <= WIDTH_MIN) return squeezed;
    squeezed[squeezed.findIndex((width, index) => width === widest && !isId(index))] = widest - 1;
  }
  return squeezed;
}

const WIDTH_MIN = 4;

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

import { foldText } from './fold-text.ts';
import { cutToWidth, textWidth } from './text-width.ts';
import { hangText, roomAfter } from './wrap-text.ts';

/** One detail of a log entry; empty details are omitted. */
export interface EntryPart {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

const GAP = '  ';
/** A subject has up to 998 characters; two rows are enough for a log. */
const ROWS_PER_PART = 2;

/**
 * An entry of a log that is followed: on one line if it fits, else with its details on lines of their own, next to or below `head`. No line is
 * wider than `width`, which is null without a terminal.
 */
export function renderEntry(head: string, parts: readonly EntryPart[], width: number | null): string {
  const shown = parts.filter(({ text }) => text !== '');
  const room = width === null ? Number.POSITIVE_INFINITY : roomAfter(head, width);
  const fitsOnOne = width === null || textWidth(shown.map(({ text }) => text).join(GAP)) <= room;
  const lines = fitsOnOne ? [shown.map(painted).join(GAP)] : packLines(shown, room);
  return hangText(head, lines.join('\n'), width)
    .map((line) => line.trimEnd())
    .join('\n');
}

/** Puts each part on the line of the one before it if both fit. */
function packLines(parts: readonly EntryPart[], room: number): readonly string[] {
  const lines: string[] = [];
  let left = 0;
  for (const part of parts) {
    const rows = foldText(cutToWidth(part.text, ROWS_PER_PART * room), room).map((text) => ({ ...part, text }));
    const columns = textWidth(rows.at(-1)?.text ?? '');
    if (rows.length === 1 && GAP.length + columns <= left) {
      lines.push(`${lines.pop() ?? ''}${GAP}${rows.map(painted).join('')}`);
      left -= GAP.length + columns;
    } else {
      lines.push(...rows.map(painted));
      left = room - columns;
    }
  }
  return lines;
}

function painted({ text, paint }: EntryPart): string {
  return paint === undefined ? text : paint(text);
}

import { stripVTControlCharacters } from 'node:util';
import type { TextSink } from '../cli-io.ts';
import { textWidth } from './text-width.ts';

/** A text as lines no wider than `columns`. A longer word stays whole, because a broken name cannot be copied. */
export function wrapText(text: string, columns: number): readonly string[] {
  if (columns === Number.POSITIVE_INFINITY) return [text];
  const lines: string[] = [];
  let line: string | null = null;
  let used = 0;
  for (const word of text.split(' ')) {
    const width = shownWidth(word);
    if (line !== null && line.trim() !== '' && used + 1 + width > columns) {
      lines.push(line);
      line = null;
    }
    used = line === null ? width : used + 1 + width;
    line = line === null ? word : `${line} ${word}`;
  }
  return [...lines, line ?? ''];
}

/** The minimum width for sentences; in less room they are moved below their head. */
const COLUMNS_MIN = 24;
const INDENT_BELOW = '    ';

/**
 * A text of one or more lines after `head`. Following lines are indented to the end of `head`. If that leaves too little room, the text moves
 * below `head`. `columns` is null without a maximum width.
 */
export function hangText(head: string, text: string, columns: number | null): readonly string[] {
  const given = text.split('\n');
  const width = shownWidth(head);
  const isWhole = columns === null || given.every((line) => width + shownWidth(line) <= columns);
  const hasRoom = isWhole || isNextTo(width, columns);
  const indent = hasRoom ? ' '.repeat(width) : INDENT_BELOW;
  const room = columns === null ? Number.POSITIVE_INFINITY : columns - indent.length;
  const lines = given.flatMap((line) => wrapText(line, room));
  if (!hasRoom) return [head.trimEnd(), ...lines.map((line) => `${indent}${line}`)];
  return lines.map((line, index) => `${index === 0 ? head : indent}${line}`);
}

/** The columns that `hangText` leaves for a text that does not fit on the line of `head`. */
export function roomAfter(head: string, columns: number): number {
  const width = shownWidth(head);
  return columns - (isNextTo(width, columns) ? width : INDENT_BELOW.length);
}

function isNextTo(headWidth: number, columns: number): boolean {
  return columns - headWidth >= COLUMNS_MIN;
}

/** Precedes a command at the end of a sentence. */
const BEFORE_COMMAND = ': postrider ';

/** A sentence with a line feed, wrapped if the sink is a terminal. A command at its end stays on one line, so that it can be copied. */
export function wrapForTerminal(text: string, { isTTY, columns = 80 }: TextSink): string {
  if (isTTY !== true || shownWidth(text) <= columns) return `${text}\n`;
  const end = text.indexOf(BEFORE_COMMAND, text.lastIndexOf('\n') + 1);
  if (end === -1) return [...wrapText(text, columns), ''].join('\n');
  return [...wrapText(text.slice(0, end + 1), columns), `  ${text.slice(end + 2)}`, ''].join('\n');
}

/** The width of a text that may contain color sequences. */
function shownWidth(text: string): number {
  return textWidth(text.includes('\u001b') ? stripVTControlCharacters(text) : text);
}

import type { Paint } from './paint.ts';
import { padToWidth, textWidth } from './text-width.ts';

/** One line of a sheet; lines without a value are left out. */
export type SheetLine = readonly [label: string, value: string];

/** Labels and values under each other, the labels aligned. */
export function renderSheet(lines: readonly SheetLine[], paint: Paint): string {
  const shown = lines.filter(([, value]) => value !== '');
  const width = Math.max(0, ...shown.map(([label]) => textWidth(label)));
  return shown.map(([label, value]) => `${paint.faint(padToWidth(label, width))}  ${value}\n`).join('');
}

/** A titled block below a sheet, indented by two; empty where it has no content. */
export function renderBlock(title: string, content: string, paint: Paint): string {
  if (content.trim() === '') return '';
  const indented = content
    .trimEnd()
    .split('\n')
    .map((line) => (line === '' ? '' : `  ${line}`));
  return `\n${paint.title(title)}\n${indented.join('\n')}\n`;
}

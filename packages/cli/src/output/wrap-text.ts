import { textWidth } from './text-width.ts';

/** A text of words as lines no wider than `columns`; a longer word keeps its line, since a name that is broken cannot be copied. */
export function wrapText(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && textWidth(longer) > columns) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  return [...lines, line];
}

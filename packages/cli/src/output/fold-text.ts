import { cutToWidth, textWidth } from './text-width.ts';

/**
 * A text as lines no wider than `columns`, broken between words if possible. Longer words continue on the next line: an approver must see
 * text such as the target of a link in full.
 */
export function foldText(text: string, columns: number): readonly string[] {
  const width = Math.max(4, columns);
  return text.split('\n').flatMap((line) => foldLine(line, width));
}

function foldLine(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line: string | null = null;
  for (const word of text.split(' ')) {
    const longer: string = line === null ? word : `${line} ${word}`;
    if (textWidth(longer) <= width) {
      line = longer;
      continue;
    }
    if (line !== null) lines.push(line);
    const pieces = breakWord(word, width);
    lines.push(...pieces.slice(0, -1));
    line = pieces.at(-1) ?? '';
  }
  return [...lines, line ?? ''];
}

function breakWord(word: string, width: number): readonly string[] {
  const pieces: string[] = [];
  let rest = word;
  for (;;) {
    // A word can be as long as a message, so only its beginning is measured.
    const head = rest.slice(0, 4 * width);
    const isWhole = head.length === rest.length;
    if (isWhole && textWidth(head) <= width) return [...pieces, rest];
    // With two more columns it is always too wide, so it is cut to `width` and an ellipsis, which is removed.
    const piece =
      cutToWidth(`${head}  `, width + 1)
        .replace(/…$/, '')
        .trimEnd() || rest.slice(0, 1);
    pieces.push(piece);
    rest = rest.slice(piece.length);
  }
}

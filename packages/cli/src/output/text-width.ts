import { eastAsianWidth } from 'get-east-asian-width';

/** Created on first use, because that takes longer than a command that prints plain text. */
const lazy = {
  get segmenter(): Intl.Segmenter {
    const made = new Intl.Segmenter('en', { granularity: 'grapheme' });
    Object.defineProperty(this, 'segmenter', { value: made });
    return made;
  },
};

/** Emoji, which terminals draw two columns wide. */
const EMOJI = /\p{Emoji_Presentation}|\p{Emoji}\ufe0f/u;
const ZERO_WIDTH = /^[\p{Mark}\u200b-\u200d\u2060\ufeff]+$/u;

/** The width of a text in terminal columns. */
export function textWidth(text: string): number {
  if (isPrintableAscii(text)) return text.length;
  let columns = 0;
  for (const { segment } of lazy.segmenter.segment(text)) columns += graphemeWidth(segment);
  return columns;
}

/** Cuts a text to a width; a cut text ends with `…`. */
export function cutToWidth(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of lazy.segmenter.segment(text)) {
    const width = graphemeWidth(segment);
    if (used + width > columns - 1) break;
    kept += segment;
    used += width;
  }
  return `${kept}…`;
}

/** Pads a text with spaces to a width. */
export function padToWidth(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - textWidth(text)));
}

function graphemeWidth(segment: string): number {
  if (ZERO_WIDTH.test(segment)) return 0;
  return eastAsianWidth(segment.codePointAt(0) ?? 0) === 2 || EMOJI.test(segment) ? 2 : 1;
}

function isPrintableAscii(text: string): boolean {
  return /^[ -~]*$/.test(text);
}

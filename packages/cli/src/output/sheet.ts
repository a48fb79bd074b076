import type { Output } from './output.ts';
import { padToWidth, textWidth } from './text-width.ts';
import { hangText, wrapText } from './wrap-text.ts';

/** One line of a sheet; lines without a value are omitted. A `whole` value is not wrapped, so that it can be copied. */
export type SheetLine = readonly [label: string, value: string, form?: 'whole'];

/** The width and the colors that a text is laid out for. */
export type Page = Pick<Output, 'paint' | 'width'>;

const INDENT = '  ';

/** One line per label and value, with aligned values. */
export function renderSheet(lines: readonly SheetLine[], { paint, width }: Page): string {
  const shown = lines.filter(([, value]) => value !== '');
  const columns = Math.max(0, ...shown.map(([label]) => textWidth(label)));
  return shown
    .flatMap(([label, value, form]) =>
      hangText(`${paint.faint(padToWidth(label, columns))}  `, value, form === 'whole' ? null : width),
    )
    .map((line) => `${line}\n`)
    .join('');
}

/** A titled block below a sheet, indented by two; empty without content. Its lines already fit the page. */
export function renderBlock(title: string, content: string, { paint }: Pick<Page, 'paint'>): string {
  if (content.trim() === '') return '';
  const lines = content.trimEnd().split('\n');
  return `\n${paint.title(title)}\n${lines.map((line) => `${INDENT}${line}`.trimEnd()).join('\n')}\n`;
}

/** A block of free text, which is wrapped to the page. */
export function renderBody(title: string, body: string, page: Page): string {
  const columns = withinBlock(page).width ?? Number.POSITIVE_INFINITY;
  const lines = body.split('\n').flatMap((line) => wrapText(line, columns));
  return renderBlock(title, lines.join('\n'), page);
}

/** The page for the content of a block. */
export function withinBlock<Given extends Page>(page: Given): Given {
  return page.width === null ? page : { ...page, width: page.width - INDENT.length };
}

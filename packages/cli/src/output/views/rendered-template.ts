import { type JsonRecord, textOf } from '../json-value.ts';
import type { Output } from '../output.ts';
import { renderBlock, renderSheet } from '../sheet.ts';
import { severalLines, singleLine } from '../untrusted-text.ts';

/** What a template became, and what it still misses. */
export function showRenderedTemplate(rendered: JsonRecord, output: Output): void {
  const { paint } = output;
  const text = (name: string) => singleLine(textOf(rendered[name]));
  output.writeText(
    [
      renderSheet(
        [
          ['subject', text('subject')],
          ['version', text('version')],
          ['missing', paint.bad(text('missing'))],
        ],
        paint,
      ),
      renderBlock('Html', severalLines(textOf(rendered['html'])), paint),
      renderBlock('Text', severalLines(textOf(rendered['text'])), paint),
    ].join(''),
  );
  if (text('missing') !== '') output.remark('A send with these variables would be refused.');
}

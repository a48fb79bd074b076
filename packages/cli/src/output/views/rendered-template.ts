import type { RenderedTemplate } from '@postrider/sdk';
import { type Shown, textOf } from '../json-value.ts';
import type { Output } from '../output.ts';
import { renderBody, renderSheet } from '../sheet.ts';
import { severalLines, singleLine } from '../untrusted-text.ts';
import { defineView, type RecordView } from '../view.ts';

/** What a template became, and what it still misses. */
export function showRenderedTemplate(rendered: Shown<RenderedTemplate>, output: Output): void {
  const { paint } = output;
  const text = (name: keyof typeof rendered) => singleLine(textOf(rendered[name]));
  output.writeText(
    [
      renderSheet(
        [
          ['subject', text('subject')],
          ['version', text('version')],
          ['missing', paint.bad(text('missing'))],
        ],
        output,
      ),
      renderBody('HTML', severalLines(textOf(rendered['html'])), output),
      renderBody('Text', severalLines(textOf(rendered['text'])), output),
    ].join(''),
  );
  if (text('missing') !== '') output.remark('A send with these variables would be refused.');
}

/** Which answers are shown so. */
export const VIEWS: readonly RecordView[] = [defineView(['RenderedTemplate'], showRenderedTemplate)];

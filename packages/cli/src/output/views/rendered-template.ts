import type { RenderedTemplate } from '@postrider/sdk';
import { type Shown, textOf } from '../json-value.ts';
import type { Output } from '../output.ts';
import { renderBody, renderSheet } from '../sheet.ts';
import { severalLines, singleLine } from '../untrusted-text.ts';
import { defineView, type RecordView } from '../view.ts';

/** A rendered template, and the variables it still needs. Content that is not stored has no version. */
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

/** The records of these views. */
export const VIEWS: readonly RecordView[] = [defineView(['RenderedTemplate'], showRenderedTemplate)];

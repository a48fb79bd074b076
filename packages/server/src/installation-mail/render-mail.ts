import { toPlain } from './mail-text.ts';
import { renderHtml } from './render-html.ts';
import { renderText } from './render-text.ts';
import type { WrittenMail } from './written-mail.ts';

export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

const SUBJECT_CHARACTERS = 200;

/** Writes a mail as plain text and as HTML. */
export function renderMail(mail: WrittenMail): RenderedMail {
  return {
    subject: toPlain(mail.subject).slice(0, SUBJECT_CHARACTERS).toWellFormed(),
    text: renderText(mail),
    html: renderHtml(mail),
  };
}

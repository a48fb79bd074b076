import { type Html, html } from '../html/page-markup.ts';
import { breakLinks, joinLinks } from './sender-text.ts';

/** A sentence of a mail: our words, and between them what others chose, such as names and addresses. */
export interface MailText {
  readonly runs: readonly { readonly text: string; readonly isOurs: boolean }[];
}

/**
 * Writes a sentence. Every value counts as chosen by others: it is shown on one line, and nothing in it becomes a link. Values that are ours
 * are numbers and what `ours` or this function made.
 */
export function words(parts: TemplateStringsArray, ...values: readonly (string | number | MailText)[]): MailText {
  const runs = parts.flatMap((part, index) => [...runsOf(values[index - 1] ?? ''), { text: part, isOurs: true }]);
  return { runs: runs.filter(({ text }) => text !== '') };
}

/** Text that no one but us wrote. */
export function ours(text: string): MailText {
  return { runs: [{ text, isOurs: true }] };
}

export function toPlain({ runs }: MailText): string {
  return runs.map(({ text, isOurs }) => (isOurs ? text : breakLinks(text))).join('');
}

/** `bdi` keeps right-to-left text of others from reordering our words. */
export function toHtml({ runs }: MailText): Html {
  return html`${runs.map(({ text, isOurs }) => (isOurs ? html`${text}` : html`<bdi>${joinLinks(text)}</bdi>`))}`;
}

function runsOf(value: string | number | MailText): MailText['runs'] {
  if (typeof value === 'string') return [{ text: value, isOurs: false }];
  return typeof value === 'number' ? ours(String(value)).runs : value.runs;
}

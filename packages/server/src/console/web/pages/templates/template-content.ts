import type { Template } from '@postrider/core';
import type { PageForm } from '../../page-form.ts';

export interface Content {
  readonly subject: string | null;
  readonly html: string | null;
  readonly text: string | null;
}

/** The content of a form. An empty text means that it is derived from the HTML, unless the box for no text is ticked. */
export function contentOf(form: PageForm): Content {
  const text = typed(form, 'text');
  const subject = typed(form, 'subject').trim();
  const html = typed(form, 'html');
  return {
    subject: subject === '' ? null : subject,
    html: html === '' ? null : html,
    text: text === '' && !form.has('noText') ? null : text,
  };
}

/** The parts of a form that differ from the stored content. Line ends do not count: browsers send all of them as CR LF. */
export function changedParts(stored: Content, form: PageForm): Partial<Content> {
  const given = contentOf(form);
  const changed = (['subject', 'html', 'text'] as const).filter((part) => plain(stored[part]) !== given[part]);
  return Object.fromEntries(changed.map((part) => [part, given[part]]));
}

/** A stored template as the fields of the form. */
export function fieldsOfContent({ subject, html, text }: Content): readonly (readonly [string, string])[] {
  return [
    ['subject', subject ?? ''],
    ['html', html ?? ''],
    ['text', text ?? ''],
    ...(text === '' ? [['noText', 'true'] as const] : []),
  ];
}

/** The number that a change must be based on; for a template with drafts only, that of its newest draft. */
export function baseOf({ version }: Pick<Template, 'version'>): string {
  return String(version);
}

/** As typed, with the line ends of the API. */
function typed(form: PageForm, name: string): string {
  return plain(form.get(name)) ?? '';
}

function plain(text: string | null): string | null {
  return text?.replaceAll('\r\n', '\n') ?? null;
}

import type { Approval } from '@postrider/core';
import { html } from '../../html/page-markup.ts';
import { threadJob } from '../../threads/thread-job.ts';
import { textDiff } from '../../ui/components/text-diff.ts';
import { type EditFields, fieldsOf } from './edit-form.ts';

export interface EditComparison {
  readonly approval: Approval;
  readonly fields: EditFields;
}

/** Compares in a thread: two bodies of two megabytes can differ in every line. */
export const EDIT_COMPARISON = threadJob(import.meta.url, 'EDIT_COMPARISON', compare);

const TITLES = [
  ['to', 'To'],
  ['cc', 'Cc'],
  ['bcc', 'Bcc'],
  ['subject', 'Subject'],
  ['scheduled', 'Send at (UTC)'],
  ['html', 'HTML'],
  ['text', 'Plain text'],
] as const;

/** What differs, field by field; empty if nothing does. */
function compare({ approval, fields }: EditComparison): string {
  const before = fieldsOf(approval);
  const changed = TITLES.flatMap(([name, title]) => {
    const was = show(name, before[name]);
    const is = show(name, fields[name]);
    return was === is
      ? []
      : [html`<section class="stack-tight"><h3>${title}</h3>${textDiff(was, is, title)}</section>`];
  });
  return changed.map(({ markup }) => markup).join('\n');
}

function show(name: keyof EditFields, value: string): string {
  const plain = value.replaceAll('\r\n', '\n').trim();
  if (name !== 'scheduled') return plain;
  return plain === '' ? 'As soon as it is approved' : plain.replace('T', ' ');
}

export function sizeOfComparison({ approval, fields }: EditComparison): number {
  return (approval.html?.length ?? 0) + (approval.text?.length ?? 0) + fields.html.length + fields.text.length;
}

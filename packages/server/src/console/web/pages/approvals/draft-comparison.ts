import type { TemplateDraft } from '@postrider/core';
import { type Html, html } from '../../../../html/page-markup.ts';
import { threadJob } from '../../../../threads/thread-job.ts';
import { textDiff } from '../../../../ui/components/text-diff.ts';

/** What a draft changes in the current version, in a thread because bodies can be large. */
export const DRAFT_COMPARISON = threadJob(
  import.meta.url,
  'DRAFT_COMPARISON',
  (changes: TemplateDraft['changes']): string => compare(changes).markup,
);

export function sizeOfChanges({ html: body, text }: TemplateDraft['changes']): number {
  return [body, text].reduce((sum, part) => sum + (part?.before?.length ?? 0) + (part?.after?.length ?? 0), 0);
}

const TITLES = [
  ['subject', 'Subject'],
  ['html', 'HTML'],
  ['text', 'Plain text'],
] as const;

function compare(changes: TemplateDraft['changes']): Html {
  const parts = TITLES.flatMap(([name, title]) => {
    const change = changes[name];
    if (change === undefined) return [];
    return [
      html`<section class="stack-tight"><h3>${title}</h3>${textDiff(change.before ?? '', change.after ?? '', title)}</section>`,
    ];
  });
  return parts.length === 0
    ? html`<p class="soft">It has the same content as the current version.</p>`
    : html`${parts}`;
}

import type { TemplateDraft } from '@postrider/core';
import { type Html, html } from '../../../../html/page-markup.ts';
import { revealed } from '../../../../ui/components/revealed-text.ts';
import { flushCard } from '../../../../ui/components/surfaces.ts';
import { time } from '../../../../ui/components/time.ts';
import { draftPathOf } from './paths.ts';

/** Template drafts that wait for an approver; nothing if there are none. */
export function draftsCard(drafts: readonly TemplateDraft[]): Html {
  if (drafts.length === 0) return html``;
  const title = drafts.length === 1 ? '1 template draft waits' : `${drafts.length} template drafts wait`;
  return flushCard(
    title,
    html`<table class="table inbox"><caption class="unseen">Template drafts</caption><thead class="unseen"><tr><th scope="col">Template</th><th scope="col">What changes</th><th scope="col">Time</th></tr></thead><tbody>${drafts.map(row)}</tbody></table>`,
  );
}

function row({ id, slug, name, version, keyName, changes, createdAt, note }: TemplateDraft): Html {
  return html`<tr id="draft-${id}" data-row data-hold="${id}"><td class="lead"><a class="row-link cover" href="${draftPathOf(slug, version)}">${revealed(name)}, version ${version}</a>
<div class="small soft"><b>${keyName === null ? 'a deleted key' : html`key ${revealed(keyName)}`}</b>${note === null ? null : html` wrote: “${revealed(note)}”`}</div></td><td class="why small soft">${changedWords(changes)}</td><td class="when small">${time(createdAt)}</td></tr>`;
}

/** `It changes the subject and the HTML.` */
export function changedWords(changes: TemplateDraft['changes']): string {
  const names = [
    ...(changes.subject === undefined ? [] : ['the subject']),
    ...(changes.html === undefined ? [] : ['the HTML']),
    ...(changes.text === undefined ? [] : ['the text']),
  ];
  if (names.length === 0) return 'It changes nothing.';
  return `It changes ${names.length === 1 ? names[0] : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`}.`;
}

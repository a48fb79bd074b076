import type { Template } from '@postrider/core';
import { type Html, html } from '../../../../html/page-markup.ts';
import { card, notice } from '../../../../ui/components/surfaces.ts';
import { time } from '../../../../ui/components/time.ts';
import { readActorNames } from '../../actor-names.ts';
import type { PageRequest } from '../../page-request.ts';
import { type Content, contentOf } from './template-content.ts';
import { comparison } from './version-comparison.ts';

/** Two users edited one template: what the other one published, and what saving would change in that. */
export async function conflictParts(request: PageRequest, template: Template): Promise<Html> {
  const base = await readBase(request, template);
  const [names, theirs, yours] = await Promise.all([
    readActorNames(request),
    base === null ? null : comparison(request, base, template),
    comparison(request, template, contentOf(request.form)),
  ]);
  const latest = template.versions.find(({ version }) => version === template.version);
  const author = names.get(latest?.publishedBy ?? '')?.name ?? 'Another user';
  const when = latest === undefined ? null : html`, ${time(latest.publishedAt ?? latest.createdAt)}`;
  return html`${notice('warn', html`${author} published version ${template.version} while you were editing.`, html`Nothing was saved, and nothing you typed is lost: it is in the form below. Saving it replaces version ${template.version}${when}.`)}
<div class="halves">${theirs === null ? null : card(`What version ${template.version} changed`, theirs)}${card(`What you would change in version ${template.version}`, yours)}</div>`;
}

/** The version that the user started from; null if it cannot be read any more. */
async function readBase(request: PageRequest, { id }: Template): Promise<Content | null> {
  const version = request.form.text('base');
  if (version === undefined) return null;
  const found = await request.attempt('templates.get', { params: { id }, query: { version } });
  return found.ok ? found.body : null;
}

import type { Problem, Template } from '@postrider/core';
import { type Html, html } from '../../../../html/page-markup.ts';
import { pageHeader } from '../../../../ui/components/page-header.ts';
import { type PageResult, page, redirect } from '../../console-page.ts';
import { problemNotice } from '../../console-problems.ts';
import { PageForm } from '../../page-form.ts';
import type { PageRequest } from '../../page-request.ts';
import { conflictParts } from './edit-conflict.ts';
import { TEMPLATES_PATH, templatePath } from './paths.ts';
import { writeSamples } from './sample-values.ts';
import { baseOf, changedParts, fieldsOfContent } from './template-content.ts';
import { templateForm } from './template-form.ts';
import { previewOf } from './template-preview.ts';

export async function editPage(request: PageRequest): Promise<PageResult> {
  const template = await read(request);
  const fields = [
    ...fieldsOfContent(template),
    ['name', template.name] as const,
    ['slug', template.slug] as const,
    ['variables', writeSamples(template.variables)] as const,
    ...baseFields(template),
  ];
  return await show(request, template, { form: new PageForm(fields), problem: null, isReturned: false });
}

/** The preview of a form leaves everything in it as it is, the version it is based on included. */
export async function previewEdit(request: PageRequest): Promise<PageResult> {
  return await show(request, await read(request), { form: request.form, problem: null, isReturned: true });
}

/** Stores what was typed, unless another version was published in the meantime. */
export async function saveEdit(request: PageRequest): Promise<PageResult> {
  const { form } = request;
  const template = await read(request);
  if (form.get('base') !== baseOf(template)) return await conflict(request, template);
  const changes = changesOf(template, form);
  if (Object.keys(changes).length === 0) return redirect(templatePath(template), 'Nothing was changed.');
  const result = await request.attempt('templates.update', {
    params: { id: template.id },
    body: { ...changes, baseVersion: template.version },
  });
  // Published after the template was read above.
  if (!result.ok && result.problem.code === 'approval_changed') return await conflict(request, await read(request));
  if (!result.ok) return await show(request, template, { form, problem: result.problem, isReturned: true });
  const { currentVersion, name } = result.body;
  const isNew = currentVersion !== template.currentVersion;
  return redirect(
    templatePath(template),
    isNew ? `Version ${currentVersion} is the current one.` : `${name} was saved.`,
  );
}

async function conflict(request: PageRequest, template: Template): Promise<PageResult> {
  const warning = await conflictParts(request, template);
  const form = rebased(request.form, template);
  return await show(request, template, { form, problem: null, isReturned: true, warning });
}

function read(request: PageRequest): Promise<Template> {
  return request.call('templates.get', { params: { id: request.param('id') } });
}

/** Only what the user changed: another user may have changed the name since the page was opened. */
function changesOf(template: Template, form: PageForm) {
  // A template with drafts only has no published parts to keep.
  const isFirst = template.currentVersion === null;
  const content = isFirst
    ? changedParts({ subject: null, html: null, text: null }, form)
    : changedParts(template, form);
  const note = Object.keys(content).length === 0 ? undefined : form.text('note');
  const changed = (['name', 'slug'] as const).filter((field) => form.text(field) !== form.text(`${field}Before`));
  return {
    ...content,
    ...Object.fromEntries(changed.map((field) => [field, form.text(field) ?? ''])),
    ...(note === undefined ? {} : { note }),
  };
}

/** What the form is based on: the version, and the names then. */
function baseFields(template: Template): readonly (readonly [string, string])[] {
  return [
    ['base', baseOf(template)],
    ['nameBefore', template.name],
    ['slugBefore', template.slug],
  ];
}

/** The same form, based on the version that is current now. */
function rebased(form: PageForm, template: Template): PageForm {
  const base = baseFields(template);
  const names = base.map(([name]) => name);
  return new PageForm([...form.entries().filter(([name]) => !names.includes(name)), ...base]);
}

interface Shown {
  readonly form: PageForm;
  readonly problem: Problem | null;
  readonly isReturned: boolean;
  /** Another version was published in the meantime. */
  readonly warning?: Html;
}

async function show(request: PageRequest, template: Template, shown: Shown): Promise<PageResult> {
  const { form, problem, isReturned, warning } = shown;
  const title = `Edit ${template.name}`;
  const path = templatePath(template);
  const preview = await previewOf(request, form);
  const hidden = ['base', 'nameBefore', 'slugBefore'].map(
    (name) => html`<input type="hidden" name="${name}" value="${form.get(name) ?? ''}" data-kept>`,
  );
  return page({
    ...{ title, section: 'templates', status: warning === undefined ? (problem?.status ?? 200) : 409 },
    content: html`${pageHeader({
      title,
      crumbs: [
        { label: 'Templates', href: TEMPLATES_PATH },
        { label: template.name, href: path },
      ],
    })}${warning}${problem === null ? null : problemNotice(problem)}
${templateForm({
  ...{ form, problem, preview, isReturned, hidden: html`${hidden}`, frameSrc: isReturned ? null : `${path}/frame` },
  ...{ action: `${path}/edit`, previewAction: `${path}/preview`, backHref: path },
  saveLabel: warning === undefined ? 'Save' : 'Save anyway',
})}`,
  });
}

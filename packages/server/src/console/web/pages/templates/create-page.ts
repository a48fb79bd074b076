import type { Problem } from '@postrider/core';
import { html } from '../../../../html/page-markup.ts';
import { pageHeader } from '../../../../ui/components/page-header.ts';
import { type PageResult, page, redirect } from '../../console-page.ts';
import { problemNotice } from '../../console-problems.ts';
import { PageForm } from '../../page-form.ts';
import type { PageRequest } from '../../page-request.ts';
import { TEMPLATES_PATH, templatePath } from './paths.ts';
import { contentOf } from './template-content.ts';
import { templateForm } from './template-form.ts';
import { previewOf } from './template-preview.ts';

/** A start that shows what Liquid does. */
const FIRST = new PageForm([
  ['name', ''],
  ['subject', 'Welcome, {{ name }}'],
  ['html', '<h1>Hello {{ name }}</h1>\n<p>Your plan is {{ plan | default: "free" }}.</p>\n'],
  ['variables', '{\n  "name": "Ada"\n}'],
]);

export function newTemplatePage(request: PageRequest): Promise<PageResult> {
  return show(request, { form: FIRST, problem: null, isReturned: false });
}

export function previewNew(request: PageRequest): Promise<PageResult> {
  return show(request, { form: request.form, problem: null, isReturned: true });
}

export async function createTemplate(request: PageRequest): Promise<PageResult> {
  const { form } = request;
  const slug = form.text('slug');
  const note = form.text('note');
  const { text, ...content } = contentOf(form);
  const result = await request.attempt('templates.create', {
    body: {
      name: form.text('name') ?? '',
      ...content,
      ...(text === null ? {} : { text }),
      ...(slug === undefined ? {} : { slug }),
      ...(note === undefined ? {} : { note }),
    },
  });
  if (!result.ok) return await show(request, { form, problem: result.problem, isReturned: true });
  return redirect(templatePath(result.body), `${result.body.name} was created.`);
}

interface Shown {
  readonly form: PageForm;
  readonly problem: Problem | null;
  readonly isReturned: boolean;
}

async function show(request: PageRequest, { form, problem, isReturned }: Shown): Promise<PageResult> {
  const title = 'Create a template';
  const preview = await previewOf(request, form);
  return page({
    ...{ title, section: 'templates', status: problem?.status ?? 200 },
    content: html`${pageHeader({ title, crumbs: [{ label: 'Templates', href: TEMPLATES_PATH }] })}${problem === null ? null : problemNotice(problem)}
${templateForm({
  ...{ form, problem, preview, isReturned, saveLabel: 'Create the template', frameSrc: null },
  ...{ action: `${TEMPLATES_PATH}/create`, previewAction: `${TEMPLATES_PATH}/preview`, backHref: TEMPLATES_PATH },
})}`,
  });
}

import { nameOperation, type SendRequest } from '@postrider/core';
import type { TemplateSourceRow } from '../../db/queries/template-records.ts';
import { vouchersOf } from '../../templates/part-authors.ts';
import { toFieldProblems } from '../../templates/template-faults.ts';
import type { PrintedValues } from '../../templates/template-job.ts';
import { parseTemplateReference } from '../../templates/template-reference.ts';
import type { TemplateTools } from '../../templates/template-tools.ts';
import type { Refusal } from '../acceptance.ts';

/** The content of a message before links are tagged and text is derived. */
export interface WrittenContent {
  readonly subject: string;
  readonly html: string | null;
  /** Null or undefined: derive it. */
  readonly text: string | null | undefined;
  /** The template with the rendered version, such as `welcome@3`. */
  readonly template: string | null;
  /** The keys and users who vouch for the parts that are used; null without a template. */
  readonly templateMakers: readonly (string | null)[] | null;
  /** What the variables added to the template; null if no rule needs it or it cannot be determined. */
  readonly values: PrintedValues | null;
}

export type RenderVerdict =
  | { readonly ok: true; readonly content: WrittenContent }
  | { readonly ok: false; readonly refusals: readonly Refusal[] };

/**
 * Renders the template of a send. A subject in the request replaces the template's subject, which is not rendered then.
 * @throws if the database does not respond.
 */
export async function renderTemplate(
  { sources, renderer }: TemplateTools,
  accountId: string,
  { template = '', subject, variables = {} }: SendRequest,
  judgesValues: boolean,
): Promise<RenderVerdict> {
  const reference = parseTemplateReference(template);
  const source = reference === null ? null : await sources.find(accountId, reference);
  if (source === null) return refuse(notFound(template));
  if (source.status === 'draft') return refuse(unpublished(source));
  if (subject === undefined && source.subject === null) return refuse(withoutSubject(source));
  const rendering = await renderer.render(accountId, {
    key: `${source.id}@${source.version}`,
    source: { subject: source.subject, html: source.html, text: source.text },
    ...(subject === undefined ? {} : { leaves: 'subject' }),
    variables,
    judgesValues,
  });
  if (!rendering.ok) return refuse('busy' in rendering ? BUSY : renderFailed(source, rendering.faults));
  if (rendering.missing.length > 0) return refuse(variablesMissing(source, rendering.missing));
  const content = {
    ...{ ...rendering, subject: subject ?? rendering.subject ?? '' },
    template: nameOf(source),
    templateMakers: vouchersOf(source, subject === undefined ? null : 'subject'),
  };
  const empty = emptyPart(content);
  return empty === null ? { ok: true, content } : refuse(renderFailed(source, [empty]));
}

function refuse(refusal: Refusal): RenderVerdict {
  return { ok: false, refusals: [refusal] };
}

function nameOf({ slug, version }: TemplateSourceRow): string {
  return `${slug}@${version}`;
}

function notFound(template: string): Refusal {
  return {
    code: 'template_not_found',
    detail: `There is no template ${template} in this account.`,
    errors: [
      { path: 'template', code: 'not_found', message: 'is not the slug or id of a template, with an existing version' },
    ],
  };
}

/** Drafts are excluded for every sender: only published versions are rendered into mail. */
function unpublished(source: TemplateSourceRow): Refusal {
  return {
    code: 'template_not_found',
    detail: `The template ${nameOf(source)} is an unpublished draft: no one can send it until an approver publishes it.`,
    fix: `Ask an approver to publish it with ${nameOperation('templates.publish', { id: source.slug })}, or send a published version.`,
    errors: [{ path: 'template', code: 'unpublished', message: 'is a draft that no approver has published' }],
  };
}

function withoutSubject(source: TemplateSourceRow): Refusal {
  const message = `is required, because the template ${nameOf(source)} has none`;
  return {
    code: 'validation_failed',
    detail: `subject: ${message}.`,
    errors: [{ path: 'subject', code: 'required', message }],
  };
}

function variablesMissing(source: TemplateSourceRow, names: readonly string[]): Refusal {
  return {
    code: 'template_variable_missing',
    detail: `The template ${nameOf(source)} needs ${names.join(', ')}.`,
    fix: `Pass ${names.length === 1 ? 'it' : 'them'} in \`variables\`, or set a default in the template: \`{{ name | default: "there" }}\`.`,
    errors: names.map((name) => ({
      path: `variables.${name}`,
      code: 'required',
      message: 'is needed by the template',
    })),
  };
}

function renderFailed(source: TemplateSourceRow, faults: Parameters<typeof toFieldProblems>[0]): Refusal {
  const errors = toFieldProblems(faults, 'render_failed', 'template.');
  const [first] = errors;
  return {
    code: 'template_render_failed',
    detail: `The template ${nameOf(source)} could not be rendered: ${first?.path.replace('template.', '')}: ${first?.message}.`,
    errors,
  };
}

function emptyPart({ subject, html, text }: WrittenContent): Parameters<typeof toFieldProblems>[0][number] | null {
  const at = { line: null, column: null, message: 'became empty with these variables' };
  if (subject === '') return { part: 'subject', ...at };
  return html || text ? null : { part: html === null ? 'text' : 'html', ...at };
}

const BUSY: Refusal = { code: 'unavailable', detail: 'The template renderer is busy.' };

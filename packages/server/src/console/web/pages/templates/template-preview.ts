import { type Problem, type TemplatePreview, UNSUBSCRIBE_VARIABLE } from '@postrider/core';
import { type Html, html } from '../../../../html/page-markup.ts';
import { badge } from '../../../../ui/components/badge.ts';
import { faultOf } from '../../../../ui/components/field.ts';
import type { PageForm } from '../../page-form.ts';
import type { PageRequest } from '../../page-request.ts';
import { readSamples } from './sample-values.ts';
import { contentOf } from './template-content.ts';

/** What is in a form, as it would be sent. */
export interface Preview {
  readonly rendered: TemplatePreview | null;
  /** What the form's content or sample values are refused for. */
  readonly problem: Problem | null;
  /** What is wrong with the JSON of the sample values. */
  readonly sampleFault: string | null;
}

const NOTHING: Preview = { rendered: null, problem: null, sampleFault: null };

export async function previewOf(request: PageRequest, form: PageForm): Promise<Preview> {
  const content = contentOf(form);
  const samples = readSamples(form.get('variables') ?? '');
  if (!samples.ok) return { ...NOTHING, sampleFault: samples.fault };
  // There is nothing to show or to refuse yet.
  if (!content.html && !content.text) return NOTHING;
  const result = await request.attempt('templates.preview', { body: { ...content, variables: samples.values } });
  return result.ok ? { ...NOTHING, rendered: result.body } : { ...NOTHING, problem: result.problem };
}

/** What the content and the sample values are refused for, by field. */
export function previewFault({ problem, sampleFault }: Preview, name: string): string | null {
  return name === 'variables' && sampleFault !== null ? sampleFault : faultOf(problem?.errors, name);
}

/** The subject, the text and the variables; the HTML is in a frame beside them. */
export function previewPart(preview: Preview): Html {
  const { rendered, problem, sampleFault } = preview;
  if (sampleFault !== null) return broken('The sample values cannot be read. The preview below is of earlier ones.');
  if (problem !== null) return broken(`${problem.detail} The preview below is of earlier content.`);
  if (rendered === null) return html`<p class="soft">The preview appears here once there is an HTML or text body.</p>`;
  const { subject, text, variables, missing } = rendered;
  return html`<dl class="facts"><div><dt>Subject</dt><dd class="strong"><bdi>${subject ?? html`<span class="faint">None: each send passes its own</span>`}</bdi></dd></div></dl>
${variableList(variables, missing)}
<details class="more"><summary>Plain text part</summary><pre tabindex="0">${text === null || text === '' ? 'None' : text}</pre></details>`;
}

export function variableList(variables: TemplatePreview['variables'], missing: readonly string[]): Html {
  const own = variables.filter(({ name }) => name !== UNSUBSCRIBE_VARIABLE);
  if (own.length === 0) return html`<p class="soft small">It uses no variables.</p>`;
  const rows = own.map(
    ({ name, required }) =>
      html`<li><code>${name}</code> ${missing.includes(name) ? badge('No value', 'warn') : html`<span class="faint small">${required ? 'required' : 'optional'}</span>`}</li>`,
  );
  const warning =
    missing.length === 0 ? null : html`<p class="small">A send without ${missing.join(', ')} would be refused.</p>`;
  return html`<div class="stack-tight"><h3>Variables</h3><ul class="variables">${rows}</ul>${warning}</div>`;
}

function broken(text: string): Html {
  return html`<div class="notice bad"><strong>It cannot be rendered</strong><p>${text}</p></div>`;
}

import { type Html, html } from '../../../../html/page-markup.ts';
import { ProblemError } from '../../../../problem.ts';
import { button } from '../../../../ui/components/button.ts';
import { QUIET_HTML } from '../../../quiet-html.ts';
import { BODY_HEADERS } from '../../body-policy.ts';
import type { RawResult } from '../../console-page.ts';
import type { PageRequest } from '../../page-request.ts';
import { TEMPLATES_PATH } from './paths.ts';
import { readSamples, writeSamples } from './sample-values.ts';
import { previewOf } from './template-preview.ts';

const FRAME = 'preview-frame';

/** The frame of unsaved content. The form is sent into it; the script does that while the user types. */
export function formFrame(formId: string, src: string | null): Html {
  return html`<div class="preview-frames"><iframe class="mail-frame" name="${FRAME}" title="The HTML as it would be displayed" sandbox${src === null ? null : html` src="${src}"`}></iframe></div>
<div>${button('Show the HTML', { isSmall: true, form: formId, formAction: `${TEMPLATES_PATH}/frame`, formTarget: FRAME, isUnchecked: true, isPreviewFrame: true })}</div>`;
}

/** The HTML of a form’s content. Nothing in it runs or loads anything. */
export async function frameOfForm(request: PageRequest): Promise<RawResult> {
  const { rendered, problem, sampleFault } = await previewOf(request, request.form);
  if (rendered !== null) return await quietly(request, rendered.html);
  return message(problem?.detail ?? (sampleFault === null ? 'There is no content yet.' : `The JSON ${sampleFault}`));
}

/** The HTML of a stored version, with sample values. */
export async function frameOfVersion(request: PageRequest): Promise<RawResult> {
  const params = { id: request.param('id') };
  const version = request.query.text('version');
  const { variables, version: number } = await request.call('templates.get', {
    params,
    query: version === undefined ? {} : { version },
  });
  const samples = readSamples(writeSamples(variables));
  const rendered = await request.attempt('templates.render', {
    params,
    body: { version: number, variables: samples.ok ? samples.values : {} },
  });
  return rendered.ok ? await quietly(request, rendered.body.html) : message(rendered.problem.detail);
}

async function quietly(request: PageRequest, markup: string | null): Promise<RawResult> {
  if (markup === null) return message('The template has no HTML: recipients see the plain text.');
  const { caller, services } = request;
  const quiet = await services.threads.run({ accountId: caller.accountId }, QUIET_HTML, markup, markup.length);
  if (quiet.kind !== 'done')
    throw new ProblemError('unavailable', { detail: 'Too many messages are being read right now.' });
  return frame(quiet.output);
}

function message(text: string): RawResult {
  return frame(
    html`<!doctype html><title>Preview</title><p style="font:15px/1.5 system-ui,sans-serif;color:#555">${text}</p>`
      .markup,
  );
}

function frame(body: string): RawResult {
  return { kind: 'raw', contentType: 'text/html; charset=utf-8', body, headers: BODY_HEADERS };
}

import { BODY_TEXT } from '../../sending/content/body-text.ts';
import type { RenderOrder } from '../../templates/template-renderer.ts';
import type { KeyedContext } from '../context.ts';
import { faultyTemplate, rendererBusy } from './template-problems.ts';

/** The parts of a message that a rendering makes, and the variables it lacked. */
export interface RenderedContent {
  readonly subject: string | null;
  readonly html: string | null;
  readonly text: string | null;
  readonly missing: string[];
}

/**
 * Renders content in a thread with limits. A text that the content does not have is derived from its HTML.
 * @throws ProblemError `template_render_failed` with the part and line
 */
export async function renderContent(
  { services: { sending, threads }, caller: { accountId, keyId } }: KeyedContext,
  order: RenderOrder,
): Promise<RenderedContent> {
  const rendering = await sending.content.templates.renderer.render(accountId, order);
  if (!rendering.ok) {
    if ('busy' in rendering) throw rendererBusy();
    throw faultyTemplate('template_render_failed', rendering.faults, 'render_failed');
  }
  const { subject, html, text, missing } = rendering;
  const derived = await threads.run({ accountId, keyId }, BODY_TEXT, { html, text }, html?.length ?? 0);
  if (derived.kind === 'busy') throw rendererBusy();
  return { subject, html, text: derived.output, missing: [...missing] };
}

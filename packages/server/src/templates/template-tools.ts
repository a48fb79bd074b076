import type { TemplateRenderer } from './template-renderer.ts';
import type { TemplateSources } from './template-sources.ts';

/** What looking up and rendering templates needs. */
export interface TemplateTools {
  readonly renderer: TemplateRenderer;
  readonly sources: TemplateSources;
}

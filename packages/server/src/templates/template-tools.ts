import type { TemplateRenderer } from './template-renderer.ts';
import type { TemplateSources } from './template-sources.ts';

/** What templates are looked up and rendered with. */
export interface TemplateTools {
  readonly renderer: TemplateRenderer;
  readonly sources: TemplateSources;
}

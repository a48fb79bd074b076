import type { TemplateRenderer } from './template-renderer.ts';
import type { TemplateSources } from './template-sources.ts';

/** Dependencies for looking up and rendering templates. */
export interface TemplateTools {
  readonly renderer: TemplateRenderer;
  readonly sources: TemplateSources;
}

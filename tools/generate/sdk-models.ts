import { renderDocComment } from './doc-comment.ts';
import type { OpenApiDocument } from './openapi-document.ts';
import { TYPESCRIPT_NOTICE } from './product.ts';

/** A name for each of the contract's nouns. */
export function renderSdkModels({ components }: OpenApiDocument): string {
  const models = Object.entries(components.schemas).map(([name, { description }]) => {
    const comment = renderDocComment(description === undefined ? [] : [description], '');
    return `${comment}export type ${name} = components['schemas']['${name}'];\n`;
  });
  return `${TYPESCRIPT_NOTICE}\n\nimport type { components } from './schema.ts';\n\n${models.join('\n')}`;
}

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { renderDocComment } from './doc-comment.ts';
import type { OpenApiDocument } from './openapi-document.ts';
import { TYPESCRIPT_NOTICE } from './product.ts';
import type { Call } from './sdk-calls.ts';

/** A name for each noun of the contract. For a body whose fields determine the response, it is the body that requests the usual one. */
export function renderSdkModels({ components }: OpenApiDocument, calls: readonly Call[]): string {
  const deciding = new Map(
    calls.flatMap(({ body, alternatives }) =>
      body === null ? [] : [[body.name, alternatives.map(({ when }) => when)]],
    ),
  );
  const models = Object.entries(components.schemas).map(([name, { description }]) => {
    const comment = renderDocComment(description === undefined ? [] : [description], '');
    const fields = deciding.get(name) ?? [];
    const ordinary = fields.length === 0 ? '' : ` & { ${fields.map((field) => `${field}?: false`).join('; ')} }`;
    return `${comment}export type ${name} = components['schemas']['${name}']${ordinary};\n`;
  });
  return `${TYPESCRIPT_NOTICE}\n\nimport type { components } from './schema.ts';\n\n${models.join('\n')}`;
}

const EXPORTED = /^export type \{[^}]*\} from '\.\/generated\/models\.ts';$/m;

/** The SDK's entry, which exports every noun of the contract. The rest of the file is written by hand. */
export async function renderSdkEntry(root: string, { components }: OpenApiDocument): Promise<string> {
  const entry = await readFile(path.join(root, 'packages/sdk/src/index.ts'), 'utf8');
  if (!EXPORTED.test(entry)) throw new Error('packages/sdk/src/index.ts exports nothing of generated/models.ts');
  // In Biome's sort order.
  const names = Object.keys(components.schemas).toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  return entry.replace(EXPORTED, `export type {\n  ${names.join(',\n  ')},\n} from './generated/models.ts';`);
}

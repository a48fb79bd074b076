import openapiTypescript, { astToString } from 'openapi-typescript';
import type { OpenApiDocument, OperationNode } from './openapi-document.ts';
import { TYPESCRIPT_NOTICE } from './product.ts';

/** The part of the generator's output that the SDK uses; the rest repeats it by path. */
const KEPT_DECLARATIONS = new Set(['components', 'operations']);

/**
 * The types of the OpenAPI document. It first removes what the SDK does not use, which would be nine tenths of the file: error responses,
 * response headers, and webhooks, whose payloads are models.
 */
export async function renderSdkSchema(document: OpenApiDocument): Promise<string> {
  // A request can omit a field with a default; responses list it as required.
  const nodes = await openapiTypescript(JSON.stringify(withoutRefusals(document)), { defaultNonNullable: false });
  const kept = nodes.filter((node) => KEPT_DECLARATIONS.has(declaredName(node)));
  return `${TYPESCRIPT_NOTICE}\n\nimport type { FileContent } from '../file-content.ts';\n\n${acceptFiles(astToString(kept))}`;
}

const FILE_CONTENT = /(\n {8}Attachment: \{[^}]*?\n {12}content\?: )string;/;

/** The client encodes bytes and streams where the API expects base64. */
function acceptFiles(types: string): string {
  if (!FILE_CONTENT.test(types)) throw new Error('the schema Attachment has no content to accept files in');
  return types.replace(FILE_CONTENT, '$1FileContent;');
}

function declaredName(node: object): string {
  // Every top-level node is a declaration; the list's type allows any node.
  const { name } = node as { readonly name?: { readonly text?: string } };
  return name?.text ?? '';
}

function withoutRefusals({ webhooks: _, ...document }: OpenApiDocument): OpenApiDocument {
  const paths = Object.entries(document.paths).map(([path, methods]) => {
    const lean = Object.entries(methods)
      .filter(([name]) => !name.startsWith('x-'))
      .map(([method, node]) => [method, { ...node, responses: successesOf(node) }]);
    return [path, Object.fromEntries(lean)];
  });
  const { headers: __, responses: ___, ...components } = document.components;
  return { ...document, paths: Object.fromEntries(paths), components };
}

function successesOf({ responses }: OperationNode): OperationNode['responses'] {
  return Object.fromEntries(
    Object.entries(responses)
      .filter(([status]) => status.startsWith('2'))
      .map(([status, { headers: _, ...response }]) => [status, response]),
  );
}

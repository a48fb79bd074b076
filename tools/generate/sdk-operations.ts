import { type CallableOperation, toOperationId } from '@postrider/core';
import { nodeOf, type OpenApiDocument, resolveSchema, type SchemaNode } from './openapi-document.ts';
import { TYPESCRIPT_NOTICE } from './product.ts';

/** The table from which the client builds requests: what a call needs besides its input. */
export function renderSdkOperations(operations: readonly CallableOperation[], document: OpenApiDocument): string {
  const rows = operations.map((operation) => `  '${operation.id}': ${renderFacts(operation, document)},\n`);
  const ids = operations.map(({ id }) => `\n  | '${id}'`);
  const types = operations.map(({ id }) => `  readonly '${id}': operations['${toOperationId(id)}'];\n`);
  return `${TYPESCRIPT_NOTICE}

import type { operations } from './schema.ts';

${FACTS_TYPE}
export type OperationId =${ids.join('')};

/** The parameters, the body and the responses of each operation, as the OpenAPI document describes them. */
export interface OperationTypes {
${types.join('')}}

export const OPERATIONS: Readonly<Record<OperationId, OperationFacts>> = {
${rows.join('')}};
`;
}

const FACTS_TYPE = `export interface OperationFacts {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With \`:name\` in the place of a parameter. */
  readonly path: string;
  readonly response: 'json' | 'text' | 'stream';
  /** Whether the request may have an idempotency key. */
  readonly takesIdempotencyKey: boolean;
  /** Where a \`channel\` field can be: in the body, or in each item of the body's list. */
  readonly channelIn: 'body' | 'items' | null;
}
`;

function renderFacts(operation: CallableOperation, document: OpenApiDocument): string {
  const node = nodeOf(operation, document);
  const body = node.requestBody?.content['application/json']?.schema;
  const takesKey = (node.parameters ?? []).some(({ name }) => name === 'idempotency-key');
  const channelIn = JSON.stringify(placeOfChannel(body, document)).replaceAll('"', "'");
  const flags = `takesIdempotencyKey: ${takesKey}, channelIn: ${channelIn}`;
  return `{ method: '${operation.method}', path: '${operation.path}', response: '${operation.response}', ${flags} }`;
}

function placeOfChannel(body: SchemaNode | undefined, document: OpenApiDocument): 'body' | 'items' | null {
  if (body === undefined) return null;
  const { properties = {} } = resolveSchema(body, document);
  if (properties['channel'] !== undefined) return 'body';
  const items = Object.values(properties).flatMap((property) => (property.items ? [property.items] : []));
  return items.some((item) => resolveSchema(item, document).properties?.['channel'] !== undefined) ? 'items' : null;
}

import type { CallableOperation } from '@postrider/core';
import { nodeOf, type OpenApiDocument, resolveSchema } from './openapi-document.ts';
import { TYPESCRIPT_NOTICE } from './product.ts';

/** The table from which the client makes requests: what a call needs to know beside its input. */
export function renderSdkOperations(operations: readonly CallableOperation[], document: OpenApiDocument): string {
  const rows = operations.map((operation) => `  '${operation.id}': ${renderFacts(operation, document)},\n`);
  return `${TYPESCRIPT_NOTICE}\n\n${FACTS_TYPE}
export const OPERATIONS = {
${rows.join('')}} as const satisfies Record<string, OperationFacts>;

export type OperationId = keyof typeof OPERATIONS;
`;
}

const FACTS_TYPE = `export interface OperationFacts {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With \`:name\` in the place of a parameter. */
  readonly path: string;
  readonly response: 'json' | 'text';
  /** Whether the request may carry an idempotency key. */
  readonly takesIdempotencyKey: boolean;
  /** Whether the body has a field \`channel\`. */
  readonly takesChannel: boolean;
}
`;

function renderFacts(operation: CallableOperation, document: OpenApiDocument): string {
  const node = nodeOf(operation, document);
  const body = node.requestBody?.content['application/json']?.schema;
  const takesKey = (node.parameters ?? []).some(({ name }) => name === 'idempotency-key');
  const takesChannel = body !== undefined && resolveSchema(body, document).properties?.['channel'] !== undefined;
  const flags = `takesIdempotencyKey: ${takesKey}, takesChannel: ${takesChannel}`;
  return `{ method: '${operation.method}', path: '${operation.path}', response: '${operation.response}', ${flags} }`;
}

import { type CallableOperation, type Operation, resourceOf, toOperationId } from '@postrider/core';
import {
  modelName,
  nodeOf,
  type OpenApiDocument,
  type ParameterNode,
  resolveSchema,
  type SchemaNode,
} from './openapi-document.ts';

/** A type by its name in the generated code: a model, a named part of an operation, or a built-in type. */
export type NamedType =
  | { readonly kind: 'model'; readonly name: string }
  | { readonly kind: 'alias'; readonly name: string; readonly definition: string }
  | { readonly kind: 'language'; readonly name: 'string' | 'DownloadPromise' };

/** One method of a resource. */
export interface Call {
  readonly id: CallableOperation['id'];
  readonly resource: string;
  readonly method: string;
  readonly summary: string;
  readonly description: string;
  /** The operation's own error codes, besides those of every call. */
  readonly errors: readonly string[];
  readonly params: readonly { readonly name: string; readonly description: string }[];
  readonly body: NamedType | null;
  /** `required` if at least one parameter is required. */
  readonly query: { readonly type: NamedType; readonly required: boolean } | null;
  /** The return type; for a list, the body of a page. */
  readonly output: NamedType;
  /** Further responses, each returned if a field of the body is true. */
  readonly alternatives: readonly { readonly when: string; readonly output: NamedType }[];
  /** For a page: the field with its items, and their type. */
  readonly page: { readonly itemsName: string; readonly item: NamedType } | null;
}

/** Describes how the SDK calls an operation, from the registry and the OpenAPI document. */
export function describeCall(operation: CallableOperation, document: OpenApiDocument): Call {
  const { errors, alternatives = [] }: Operation = operation;
  const { parameters = [], requestBody } = nodeOf(operation, document);
  const method = toCamelCase(operation.id.slice(resourceOf(operation).length + 1));
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const bodySchema = requestBody?.content['application/json']?.schema;
  return {
    id: operation.id,
    resource: resourceOf(operation),
    method,
    summary: operation.summary,
    description: operation.description,
    errors,
    params: parameters
      .filter((parameter) => parameter.in === 'path')
      .map(({ name, description = '' }) => ({ name, description })),
    body:
      bodySchema === undefined
        ? null
        : nameType(bodySchema, `${method}Body`, bodyPath(operation, requestBody?.required !== false)),
    query: query.length === 0 ? null : { type: queryType(operation, method), required: query.some(isRequired) },
    output: outputOf(operation, method, document),
    alternatives: alternatives.flatMap(({ status, when }) => {
      if (when === null) return [];
      const alias = `${method}${status}Response`;
      return [
        { when, output: nameType(answerSchema(operation, status, document), alias, answerPath(operation, status)) },
      ];
    }),
    page: pageOf(operation, method, document),
  };
}

/** Converts `send-batch` to `sendBatch`. */
export function toCamelCase(name: string): string {
  return name.replaceAll(/[-.](\w)/g, (_, letter: string) => letter.toUpperCase());
}

export function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A model by its own name; any other schema by a name derived from its place in the operation. */
function nameType(schema: SchemaNode, aliasName: string, definition: string): NamedType {
  const model = modelName(schema);
  if (model !== null) return { kind: 'model', name: model };
  return { kind: 'alias', name: upperFirst(aliasName), definition };
}

function queryType({ id }: CallableOperation, method: string): NamedType {
  const definition = `NonNullable<operations['${toOperationId(id)}']['parameters']['query']>`;
  return { kind: 'alias', name: upperFirst(`${method}Query`), definition };
}

function isRequired({ required }: ParameterNode): boolean {
  return required;
}

function outputOf(operation: CallableOperation, method: string, document: OpenApiDocument): NamedType {
  if (operation.response === 'text') return { kind: 'language', name: 'string' };
  if (operation.response === 'stream') return { kind: 'language', name: 'DownloadPromise' };
  return nameType(successSchema(operation, document), `${method}Response`, answerPath(operation, operation.status));
}

/** A page is a response with `nextCursor`; its items are its only array. */
function pageOf(operation: CallableOperation, method: string, document: OpenApiDocument): Call['page'] {
  const { properties = {} } = resolveSchema(successSchema(operation, document), document);
  if (properties['nextCursor'] === undefined) return null;
  const arrays = Object.entries(properties).filter(([, { items }]) => items !== undefined);
  const [first] = arrays;
  if (first === undefined || arrays.length > 1) throw new Error(`${operation.id} must answer exactly one array`);
  const [itemsName, { items = {} }] = first;
  return {
    itemsName,
    item: nameType(items, `${method}Item`, `${answerPath(operation, operation.status)}['${itemsName}'][number]`),
  };
}

function successSchema(operation: CallableOperation, document: OpenApiDocument): SchemaNode {
  return answerSchema(operation, operation.status, document);
}

function answerSchema(operation: CallableOperation, status: number, document: OpenApiDocument): SchemaNode {
  return nodeOf(operation, document).responses[status]?.content?.['application/json']?.schema ?? {};
}

function bodyPath({ id }: CallableOperation, isRequired: boolean): string {
  const body = `operations['${toOperationId(id)}']['requestBody']`;
  return `${isRequired ? body : `NonNullable<${body}>`}['content']['application/json']`;
}

function answerPath({ id }: CallableOperation, status: number): string {
  return `operations['${toOperationId(id)}']['responses'][${status}]['content']['application/json']`;
}

import { type Components, type JsonSchema, toComponentSchema, withItems } from './json-schema.ts';
import { headerComponents } from './openapi-headers.ts';
import { createProblemResponses, type ProblemResponses, responsesOf } from './openapi-responses.ts';
import { rolesOf, SECURITY_SCHEMES, securityOf } from './openapi-security.ts';
import { describeWebhooks } from './openapi-webhooks.ts';
import { bodyLimitOf, type Deprecation, type Operation } from './operation.ts';
import { describeResource } from './resources.ts';
import { problemSchema } from './schemas/problem.ts';
import { servedMethods } from './served-methods.ts';

export interface OpenApiOptions {
  readonly version: string;
  readonly serverUrl: string;
}

const DESCRIPTION = [
  'Self-hosted transactional email.',
  'Every path is also served under `/v1`, and both forms are the same version of the API.',
  'Every response has the header `x-request-id`. Errors are RFC 9457 problem details.',
  'A path that serves GET also serves HEAD, with the status and headers of GET and no body.',
  'Any other method on a path gets 405 with an `allow` header; `x-allow` lists the methods of each path.',
  'A path that is not listed here gets 404.',
  'Within a version nothing is removed: fields, codes and values may be added, so ignore those you do not know.',
  'A deprecated operation is marked here and by the response headers `deprecation` and `sunset` for at least 12 months before it is removed.',
].join(' ');

/** The OpenAPI 3.1 document of a list of operations; paths have no prefix. */
export function toOpenApi(operations: readonly Operation[], options: OpenApiOptions): JsonSchema {
  const components: Components = {};
  const problems = createProblemResponses(operations, toComponentSchema(problemSchema, 'output', components));
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    const path = toTemplate(operation.path);
    paths[path] = {
      ...paths[path],
      [operation.method.toLowerCase()]: describeOperation(operation, components, problems),
    };
  }
  for (const path of new Set(operations.map((operation) => operation.path))) {
    const template = toTemplate(path);
    paths[template] = { ...paths[template], 'x-allow': allowedMethods(operations, path) };
  }
  const responses = Object.fromEntries(problems.shared);
  const webhooks = describeWebhooks(components);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Postrider',
      version: options.version,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: options.serverUrl }],
    tags: tagsOf(operations),
    paths,
    webhooks,
    components: {
      schemas: Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1))),
      responses,
      headers: headerComponents({ paths, responses }),
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

/** The methods of a path, as in the `allow` header of a 405. */
function allowedMethods(operations: readonly Operation[], path: string): readonly string[] {
  const methods = servedMethods(operations, path);
  return methods.includes('GET') ? [...methods, 'HEAD'] : methods;
}

function toTemplate(path: string): string {
  return path.replace(/:([a-zA-Z]+)/g, '{$1}');
}

/** The resource an operation belongs to: the first part of its id. */
export function resourceOf(operation: Operation): string {
  return operation.id.slice(0, operation.id.indexOf('.'));
}

/** `emails.sendBatch`: the SDK's name of the method. */
export function toOperationId(id: string): string {
  return id.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function tagsOf(operations: readonly Operation[]): readonly JsonSchema[] {
  return [...new Set(operations.map(resourceOf))].map((name) => ({ name, ...describeResource(name) }));
}

function describeOperation(operation: Operation, components: Components, problems: ProblemResponses): JsonSchema {
  const scope = operation.access.kind === 'key' ? operation.access.scope : null;
  const roles = rolesOf(operation.access);
  return {
    operationId: toOperationId(operation.id),
    tags: [resourceOf(operation)],
    summary: operation.summary,
    description: scope === null ? operation.description : `${operation.description} Scope: \`${scope}\`.`,
    ...(operation.deprecated ? describeDeprecation(operation.deprecated) : {}),
    security: securityOf(operation),
    ...parametersOf(operation, components),
    ...(operation.body ? { requestBody: bodyOf(operation, components) } : {}),
    responses: responsesOf(operation, components, problems),
    'x-effect': operation.effect,
    'x-reach': operation.reach,
    ...(scope === null ? {} : { 'x-scope': scope }),
    ...(roles === null ? {} : { 'x-roles': roles }),
  };
}

function describeDeprecation({ since, sunset, instead }: Deprecation): JsonSchema {
  return { deprecated: true, 'x-deprecation': { since, sunset, instead } };
}

function parametersOf(operation: Operation, components: Components): JsonSchema {
  const parameters = [
    ...placeOf(operation.params, 'path', components),
    ...placeOf(operation.query, 'query', components),
    ...placeOf(operation.headers, 'header', components),
  ];
  return parameters.length === 0 ? {} : { parameters };
}

function placeOf(
  schema: Operation['params'],
  place: 'path' | 'query' | 'header',
  components: Components,
): JsonSchema[] {
  if (schema === undefined) return [];
  return Object.entries(schema.shape).map(([name, field]) => {
    // zod types the shape's values as its core type; every schema here is a full ZodType.
    const { description, ...json } = toComponentSchema(
      field as Parameters<typeof toComponentSchema>[0],
      'input',
      components,
    );
    const optional = (field as { safeParse(value: unknown): { success: boolean } }).safeParse(undefined).success;
    return { name, in: place, required: !optional, ...(description ? { description } : {}), schema: json };
  });
}

function bodyOf(operation: Operation, components: Components): JsonSchema {
  const schema = operation.body ? toComponentSchema(operation.body, 'input', components) : {};
  const { itemwise } = operation;
  const published =
    itemwise === undefined
      ? schema
      : withItems(schema, itemwise.field, toComponentSchema(itemwise.item, 'input', components));
  // Some operations do not require their body, because every field has a default; `raw` ones read it themselves.
  const required = operation.response === 'raw' || operation.body?.safeParse(undefined).success !== true;
  const bytes = bodyLimitOf(operation);
  return {
    description: `At most ${formatBytes(bytes)}.`,
    required,
    content: { 'application/json': { schema: published } },
    'x-max-body-bytes': bytes,
  };
}

const MEBIBYTE = 1_048_576;

function formatBytes(bytes: number): string {
  return bytes % MEBIBYTE === 0 ? `${bytes / MEBIBYTE} MiB` : `${bytes / 1_024} KiB`;
}

import type { z } from 'zod';
import { BODY_ERRORS, COMMON_ERRORS, ERRORS, type ErrorCode, KEY_ERRORS } from './errors.ts';
import { type Components, type JsonSchema, toComponentSchema, withItems } from './json-schema.ts';
import { describeWebhooks } from './openapi-webhooks.ts';
import type { Deprecation, Operation } from './operation.ts';
import { problemSchema } from './schemas/problem.ts';

export interface OpenApiOptions {
  readonly version: string;
  readonly serverUrl: string;
}

/** The OpenAPI 3.1 document of a list of operations; paths are published unprefixed. */
export function toOpenApi(operations: readonly Operation[], options: OpenApiOptions): JsonSchema {
  const components: Components = {};
  const problem = toComponentSchema(problemSchema, 'output', components);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    const path = operation.path.replace(/:([a-zA-Z]+)/g, '{$1}');
    paths[path] = {
      ...paths[path],
      [operation.method.toLowerCase()]: describeOperation(operation, components, problem),
    };
  }
  const webhooks = describeWebhooks(components);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Postrider',
      version: options.version,
      description:
        'Self-hosted transactional email. Every path is also served under `/v1`, and both forms are the same version of the API. Every answer carries `x-request-id`. Errors are RFC 9457 problem details. Within a version nothing is taken away: fields, codes and values may be added, so ignore those you do not know. What is deprecated says so here, and in the headers `Deprecation` and `Sunset` of its answers, at least 12 months before it goes.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: options.serverUrl }],
    tags: tagsOf(operations),
    paths,
    webhooks,
    components: {
      schemas: Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key, or the bearer session token of a signed-in person.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-session',
          description:
            'The session of a signed-in person; `session` over plain http in development. Writes need the `Origin` of this server.',
        },
      },
    },
  };
}

/** Codes any operation for signed-in people can answer. */
const SESSION_ERRORS = ['session_required', 'rate_limited', 'missing_scope'] as const;

/** Every code an operation can answer: its own, and those that follow from how it is called. */
export function errorCodesOf(operation: Operation): readonly ErrorCode[] {
  const codes: readonly ErrorCode[] = [
    ...(operation.body ? BODY_ERRORS : []),
    ...(operation.access.kind === 'key' ? KEY_ERRORS : []),
    ...(operation.access.kind === 'session' ? SESSION_ERRORS : []),
    ...(mayBeRefusedByReach(operation) ? REACH_ERRORS : []),
    ...operation.errors,
    ...COMMON_ERRORS,
  ];
  return [...new Set(codes)];
}

const REACH_ERRORS = ['permission_escalation'] as const;

/** Whether the policy refuses the operation to some kind of caller. */
function mayBeRefusedByReach({ access, reach, heldAs }: Operation): boolean {
  return access.kind !== 'public' && !['none', 'outbound'].includes(reach) && heldAs === undefined;
}

/** The resource an operation belongs to: the first part of its id. */
export function resourceOf(operation: Operation): string {
  return operation.id.slice(0, operation.id.indexOf('.'));
}

/** `emails.sendBatch`: as the SDK names the method. */
export function toOperationId(id: string): string {
  return id.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function tagsOf(operations: readonly Operation[]): readonly { readonly name: string }[] {
  return [...new Set(operations.map(resourceOf))].map((name) => ({ name }));
}

function describeOperation(operation: Operation, components: Components, problem: JsonSchema): JsonSchema {
  const scope = operation.access.kind === 'key' ? operation.access.scope : null;
  return {
    operationId: toOperationId(operation.id),
    tags: [resourceOf(operation)],
    summary: operation.summary,
    description: scope === null ? operation.description : `${operation.description} Scope: \`${scope}\`.`,
    ...(operation.deprecated ? describeDeprecation(operation.deprecated) : {}),
    security: securityOf(operation),
    ...parametersOf(operation, components),
    ...(operation.body ? { requestBody: bodyOf(operation, components) } : {}),
    responses: {
      ...successesOf(operation, components),
      ...problemsOf(operation, problem),
    },
    'x-effect': operation.effect,
    ...(scope === null ? {} : { 'x-scope': scope }),
  };
}

function describeDeprecation({ since, sunset, instead }: Deprecation): JsonSchema {
  return { deprecated: true, 'x-deprecation': { since, sunset, instead } };
}

/** A bearer session token travels as a key does. */
function securityOf({ access }: Operation): readonly JsonSchema[] {
  if (access.kind === 'public') return [];
  return access.kind === 'key' && access.people === 'none' ? [{ key: [] }] : [{ key: [] }, { session: [] }];
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
    // zod types the shape's values as its core type; every schema of ours is a full ZodType.
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
  return { required: true, content: { 'application/json': { schema: published } } };
}

function successesOf(operation: Operation, components: Components): JsonSchema {
  const answers = [operation, ...(operation.alternatives ?? [])];
  return Object.fromEntries(
    answers.map(({ status, summary, output }) => [status, successOf(operation, summary, output, components)]),
  );
}

function successOf(operation: Operation, summary: string, output: z.ZodType, components: Components): JsonSchema {
  const contents = operation.streams ?? { [operation.contentType ?? 'application/json']: output };
  return {
    description: summary,
    headers: Object.fromEntries(
      Object.entries({ ...headersOf(operation), ...operation.responseHeaders }).map(([name, description]) => [
        name,
        { description, schema: { type: 'string' } },
      ]),
    ),
    ...(operation.status === 204 ? {} : { content: contentOf(operation, contents, components) }),
  };
}

function contentOf(
  { asText }: Operation,
  contents: Readonly<Record<string, z.ZodType>>,
  components: Components,
): JsonSchema {
  return {
    ...Object.fromEntries(
      Object.entries(contents).map(([type, schema]) => [
        type,
        { schema: toComponentSchema(schema, 'output', components) },
      ]),
    ),
    ...(asText === undefined ? {} : { 'text/plain': { schema: { type: 'string', description: asText } } }),
  };
}

const KEY_HEADERS = {
  'RateLimit-Policy':
    'The rate limit of the key, as in draft-ietf-httpapi-ratelimit-headers: `q` requests in `w` seconds. In refusals too.',
  RateLimit: 'What is left of it: `r` requests now, and all of them again in `t` seconds.',
};

/** The headers that follow from how an operation is called. */
function headersOf({ access }: Operation): Readonly<Record<string, string>> {
  return { 'x-request-id': 'The id of this request.', ...(access.kind === 'public' ? {} : KEY_HEADERS) };
}

/** One response a status, naming the codes it can carry. */
function problemsOf(operation: Operation, problem: JsonSchema): JsonSchema {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorCodesOf(operation)) {
    byStatus.set(ERRORS[code].status, [...(byStatus.get(ERRORS[code].status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => `\`${code}\`: ${ERRORS[code].title}.`).join(' '),
        content: { 'application/problem+json': { schema: problem } },
      },
    ]),
  );
}

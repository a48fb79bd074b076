import type { z } from 'zod';
import { ERRORS, type ErrorCode } from './errors.ts';
import { type Components, type JsonSchema, toComponentSchema } from './json-schema.ts';
import { problemHeaders, successHeaders } from './openapi-headers.ts';
import type { FurtherResponse, Operation } from './operation.ts';
import { errorCodesOf } from './operation-errors.ts';

interface Response {
  readonly description: string;
  readonly headers: JsonSchema;
  readonly content?: JsonSchema;
}

/** The responses of an operation by status. If several share a status, one entry describes them all. */
export function responsesOf(operation: Operation, components: Components, problems: ProblemResponses): JsonSchema {
  const own: readonly (readonly [status: number, response: Response])[] = [
    ...[operation, ...(operation.alternatives ?? [])].map(
      ({ status, summary, output }) => [status, successOf(operation, status, summary, output, components)] as const,
    ),
    ...(operation.further ?? []).map((further) => [further.status, furtherOf(operation, further, components)] as const),
  ];
  const shared: Record<number, Response | JsonSchema> = {};
  const described = new Map<number, Response>();
  for (const [status, response] of own) described.set(status, mergeInto(described.get(status), response));
  for (const { status, response, name } of problems.of(operation)) {
    const other = described.get(status);
    if (other !== undefined) described.set(status, mergeInto(other, response));
    else shared[status] = problems.shared.has(name) ? { $ref: `#/components/responses/${name}` } : response;
  }
  return { ...Object.fromEntries(described), ...shared };
}

function mergeInto(one: Response | undefined, other: Response): Response {
  if (one === undefined) return other;
  const content = { ...one.content, ...other.content };
  return {
    description: `${one.description.replace(/([^.])$/, '$1.')} ${other.description}`,
    headers: { ...one.headers, ...other.headers },
    ...(Object.keys(content).length === 0 ? {} : { content }),
  };
}

function successOf(
  operation: Operation,
  status: number,
  summary: string,
  output: z.ZodType,
  components: Components,
): Response {
  const contents = operation.streams ?? { [operation.contentType ?? 'application/json']: output };
  const isEmpty = status === 204 || (status >= 300 && status < 400);
  return {
    description: summary,
    headers: successHeaders(operation),
    ...(isEmpty ? {} : { content: contentOf(operation, contents, components) }),
  };
}

function furtherOf(
  operation: Operation,
  { summary, content = {}, headers }: FurtherResponse,
  components: Components,
): Response {
  return {
    description: summary,
    headers: successHeaders({ ...operation, responseHeaders: {} }, headers),
    ...(Object.keys(content).length === 0 ? {} : { content: schemasOf(content, components) }),
  };
}

function contentOf(
  { asText }: Operation,
  contents: Readonly<Record<string, z.ZodType>>,
  components: Components,
): JsonSchema {
  return {
    ...schemasOf(contents, components),
    ...(asText === undefined ? {} : { 'text/plain': { schema: { type: 'string', description: asText } } }),
  };
}

function schemasOf(contents: Readonly<Record<string, z.ZodType>>, components: Components): JsonSchema {
  return Object.fromEntries(
    Object.entries(contents).map(([type, schema]) => [
      type,
      { schema: toComponentSchema(schema, 'output', components) },
    ]),
  );
}

interface ProblemResponse {
  readonly status: number;
  readonly response: Response;
  readonly name: string;
}

export interface ProblemResponses {
  of(operation: Operation): readonly ProblemResponse[];
  /** Shared responses by name: the document’s `components.responses`. */
  readonly shared: ReadonlyMap<string, Response>;
}

/** The problems that these operations return: one response per status, with the codes it can have. */
export function createProblemResponses(operations: readonly Operation[], problem: JsonSchema): ProblemResponses {
  const of = (operation: Operation) => problemsOf(operation, problem);
  const seen = new Set<string>();
  const shared = new Map<string, Response>();
  for (const { name, response } of operations.flatMap(of)) {
    if (seen.has(name)) shared.set(name, response);
    seen.add(name);
  }
  return { of, shared: new Map([...shared].sort(([a], [b]) => (a < b ? -1 : 1))) };
}

function problemsOf(operation: Operation, problem: JsonSchema): readonly ProblemResponse[] {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorCodesOf(operation)) {
    byStatus.set(ERRORS[code].status, [...(byStatus.get(ERRORS[code].status) ?? []), code]);
  }
  return [...byStatus].map(([status, codes]) => ({
    status,
    name: nameOf(operation, codes),
    response: {
      description: codes.map((code) => `\`${code}\`: ${ERRORS[code].title}.`).join(' '),
      headers: problemHeaders(operation, status, codes),
      content: { 'application/problem+json': { schema: problem } },
    },
  }));
}

/** Equal names mean equal responses. The codes determine everything except the headers that follow from access and deprecation. */
function nameOf({ id, access, deprecated }: Operation, codes: readonly ErrorCode[]): string {
  const words = codes.map((code) => code.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase()));
  const place = deprecated === undefined ? '' : `.${id}`;
  return `${access.kind === 'public' ? 'Public' : ''}${words.join('Or')}${place}`;
}

import {
  argumentSchema,
  type Ceiling,
  findOperation,
  type JsonSchema,
  type Operation,
  toInlineSchema,
} from '@postrider/core';
import type { SurfaceEntry } from './surface.ts';

/** A schema with a root object, as tools must have. */
export interface ObjectSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required?: string[];
  readonly [key: string]: unknown;
}

const NOTES: JsonSchema = {
  type: 'array',
  items: { type: 'string' },
};
/** Only refusals have it. Its name is enough, because each word costs tokens in every tool. */
const REFUSAL: JsonSchema = { type: 'object' };

/** The tool's name for an argument of the operation. */
function argumentNameOf({ renames = {} }: SurfaceEntry, name: string): string {
  return Object.entries(renames).find(([, own]) => own === name)?.[0] ?? name;
}

/** The arguments of a tool: those of its operation without the hidden ones, with its lower maximums, and its own. */
export function toolInputSchema(entry: SurfaceEntry, own: Readonly<Record<string, JsonSchema>> = {}): ObjectSchema {
  const { properties, required } = asObject(argumentSchema(findOperation(entry.operation)));
  const offered = Object.entries(properties)
    .filter(([name]) => !entry.hides?.includes(name))
    .map(([name, schema]) => [
      argumentNameOf(entry, name),
      withCeiling(
        entry.sameAs === undefined ? toArgument(schema) : toReference(schema, entry.sameAs),
        entry.ceilings?.[name],
      ),
    ]);
  return compactObject({
    type: 'object',
    properties: { ...Object.fromEntries(offered), ...own },
    ...(required === undefined ? {} : { required }),
    additionalProperties: false,
  });
}

/**
 * The output schema of a tool. Nothing is required at the root, because a refusal has only `error`, and 1.x SDK clients validate refusals
 * against this schema as well; `anyOf` would be more exact, but some model providers refuse it at the root.
 */
export function toolOutputSchema(
  operation: Operation,
  fields?: readonly string[],
  own: Readonly<Record<string, JsonSchema>> = {},
): ObjectSchema {
  // A response with several forms has no fields at its root; its tool defines the record.
  const { properties = {} }: Partial<ObjectSchema> = asObject(toInlineSchema(operation.output, 'output'));
  const shown = Object.entries(properties).filter(([name]) => fields?.includes(name) ?? true);
  return compactObject({
    type: 'object',
    properties: { ...closeDepths(openOutput(Object.fromEntries(shown))), ...own, notes: NOTES, error: REFUSAL },
  });
}

/**
 * An argument as a model needs it: its purpose in a sentence, and its type. Bounds and formats are checked by the API, whose errors say
 * how to fix them: including all of them would cost more tokens than the tools themselves.
 */
function toArgument(schema: JsonSchema): JsonSchema {
  const { description, ...shape } = mapSchemas(schema, (node) =>
    keepEntries(node, (key) => !BOUNDS.has(key) && (key !== 'description' || node === schema)),
  );
  return typeof description === 'string' ? { ...shape, description: firstSentence(description) } : shape;
}

/** An argument that another tool describes: its type, without the fields of an object. */
function toReference(schema: JsonSchema, tool: string): JsonSchema {
  const { description: _there, ...shape } = asNode(closeDepths({ own: toArgument(schema) })['own']);
  return { ...shape, description: `As in ${tool}.` };
}

const BOUNDS: ReadonlySet<string> = new Set(['minLength', 'maxLength', 'minItems', 'maxItems', 'pattern']);

function firstSentence(text: string): string {
  const sentence = cutAt(text, /[.;](?= )/);
  return sentence.length <= LONG_SENTENCE_CHARACTERS ? sentence : cutAt(sentence, /:(?= )/);
}

function cutAt(text: string, mark: RegExp): string {
  const end = mark.exec(text.slice(SHORT_SENTENCE_CHARACTERS))?.index;
  return end === undefined ? text : `${text.slice(0, SHORT_SENTENCE_CHARACTERS + end)}.`;
}

/** A sentence this short leaves room for the next one. */
const SHORT_SENTENCE_CHARACTERS = 15;
/** After a colon in a sentence this long, only a list or an aside follows. */
const LONG_SENTENCE_CHARACTERS = 110;

function withCeiling(schema: JsonSchema, ceiling: Ceiling | undefined): JsonSchema {
  if (ceiling === undefined) return schema;
  const { max, description, optional = false } = ceiling;
  return { ...schema, maximum: max, ...(optional ? {} : { default: max }), description };
}

function compactObject(schema: ObjectSchema): ObjectSchema {
  return asObject(mapSchemas(schema, compactNode));
}

/** Omits what costs tokens and adds nothing: limits of the type itself, and regular expressions that repeat a `format`. */
function compactNode(node: JsonSchema): JsonSchema {
  const split = splitTypes(node);
  const kept = keepEntries(split, (key, value) => {
    if (key === 'pattern') return typeof split['format'] !== 'string';
    if (key === 'minimum' || key === 'maximum') return Math.abs(Number(value)) !== Number.MAX_SAFE_INTEGER;
    // Names of a map are described in words; several model providers do not support `propertyNames`.
    return !((key === 'minLength' || key === 'minItems') && value === 0) && key !== 'propertyNames';
  });
  // Some clients reject an empty schema; all of them accept a boolean here.
  return isEmpty(kept['additionalProperties']) ? { ...kept, additionalProperties: true } : kept;
}

/** Several types are written as alternatives of one each: some clients and model providers do not support a list of types. */
function splitTypes(node: JsonSchema): JsonSchema {
  const { type, description, ...shape } = node;
  if (!Array.isArray(type)) return node;
  const anyOf = type.map((one) => (one === 'null' ? { type: one } : { ...shape, type: one }));
  return { anyOf, ...(description === undefined ? {} : { description }) };
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/**
 * A response stays open to new values as well as new fields: with a closed list, a strict client would refuse whole results once a
 * status is added. Only names are kept; the reference page has the details, because every listing pays for each word.
 */
function openOutput(schema: JsonSchema): JsonSchema {
  return mapSchemas(schema, (node) =>
    keepEntries(node, (key, value) => {
      if (key === 'enum') return !Array.isArray(value);
      if (key === 'const') return typeof value !== 'string';
      // Missing or new fields in a response must not make a client reject it.
      return !OMITTED_IN_OUTPUT.has(key) && !BOUNDS.has(key);
    }),
  );
}

const OMITTED_IN_OUTPUT: ReadonlySet<string> = new Set(['required', 'description', 'format']);

/** Names one level of a response: deeper levels are visible in the response itself and on the reference page. */
function closeDepths(properties: JsonSchema): JsonSchema {
  const close = (node: JsonSchema) =>
    keepEntries(node, (key) => key !== 'properties' && key !== 'additionalProperties');
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, mapSchemas(asNode(schema), close)]),
  );
}

function asNode(schema: unknown): JsonSchema {
  // The properties of an object schema are schemas.
  return schema as JsonSchema;
}

function keepEntries(node: JsonSchema, keep: (key: string, value: unknown) => boolean): JsonSchema {
  return Object.fromEntries(Object.entries(node).filter(([key, value]) => keep(key, value)));
}

function mapSchemas(node: JsonSchema, change: (node: JsonSchema) => JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(change(node)).map(([key, value]) => [key, mapInside(value, change)]));
}

function mapInside(value: unknown, change: (node: JsonSchema) => JsonSchema): unknown {
  if (Array.isArray(value)) return value.map((item) => mapInside(item, change));
  // Our JSON Schemas contain only plain objects.
  return typeof value === 'object' && value !== null ? mapSchemas(value as JsonSchema, change) : value;
}

function asObject(schema: JsonSchema): ObjectSchema {
  // argumentSchema and every output that a tool shows have an object at the root; tests check this for all tools.
  return schema as ObjectSchema;
}

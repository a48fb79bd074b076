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
/** A refusal has it alone. Its name says so, and a word more would be paid for in every tool. */
const REFUSAL: JsonSchema = { type: 'object' };

/** The name that an argument of the operation has in a tool. */
function argumentNameOf({ renames = {} }: SurfaceEntry, name: string): string {
  return Object.entries(renames).find(([, own]) => own === name)?.[0] ?? name;
}

/** The arguments of a tool: those of its operation without the hidden ones, with its ceilings, and its own. */
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
 * What a tool answers. Nothing is required at the root, since a refusal carries `error` alone, and clients of the 1.x SDK hold refusals
 * against this schema as well; `anyOf` would say it better, but some model providers refuse it at the root.
 */
export function toolOutputSchema(
  operation: Operation,
  fields?: readonly string[],
  own: Readonly<Record<string, JsonSchema>> = {},
): ObjectSchema {
  // An answer of several forms has none at its root, and its tool says itself what it makes of them.
  const { properties = {} }: Partial<ObjectSchema> = asObject(toInlineSchema(operation.output, 'output'));
  const shown = Object.entries(properties).filter(([name]) => fields?.includes(name) ?? true);
  return compactObject({
    type: 'object',
    properties: { ...closeDepths(openAnswer(Object.fromEntries(shown))), ...own, notes: NOTES, error: REFUSAL },
  });
}

/**
 * An argument as a model needs it: what it is for in a sentence, and its type. Bounds and forms are left to the API, which refuses what breaks
 * them in words that say how to mend it: all of them in every tool would cost more than the tools themselves.
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
/** What follows the colon of one this long is a list, or an aside. */
const LONG_SENTENCE_CHARACTERS = 110;

function withCeiling(schema: JsonSchema, ceiling: Ceiling | undefined): JsonSchema {
  if (ceiling === undefined) return schema;
  const { max, description, optional = false } = ceiling;
  return { ...schema, maximum: max, ...(optional ? {} : { default: max }), description };
}

function compactObject(schema: ObjectSchema): ObjectSchema {
  return asObject(mapSchemas(schema, compactNode));
}

/** Leaves out what costs tokens and says nothing: limits of the type itself, and regular expressions that repeat a `format`. */
function compactNode(node: JsonSchema): JsonSchema {
  const split = splitTypes(node);
  const kept = keepEntries(split, (key, value) => {
    if (key === 'pattern') return typeof split['format'] !== 'string';
    if (key === 'minimum' || key === 'maximum') return Math.abs(Number(value)) !== Number.MAX_SAFE_INTEGER;
    // Names of a map are described in words; several model providers do not know `propertyNames`.
    return !((key === 'minLength' || key === 'minItems') && value === 0) && key !== 'propertyNames';
  });
  // A schema that says nothing is refused by some clients; as a bare boolean it is known to all in this one place.
  return isEmpty(kept['additionalProperties']) ? { ...kept, additionalProperties: true } : kept;
}

/** Several types are written as alternatives of one each: some clients, and the dialects that some model providers translate to, know no list. */
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
 * An answer stays open to new values as it is to new fields: with a closed list, a strict client would refuse whole results on the day a
 * status is added. Its names say what they hold; the rest is left to the reference page, since every word here is paid for in every listing.
 */
function openAnswer(schema: JsonSchema): JsonSchema {
  return mapSchemas(schema, (node) =>
    keepEntries(node, (key, value) => {
      if (key === 'enum') return !Array.isArray(value);
      if (key === 'const') return typeof value !== 'string';
      // What is missing or new in an answer is for the reader to see, and no fault to refuse it for.
      return !LEFT_OUT_OF_ANSWERS.has(key) && !BOUNDS.has(key);
    }),
  );
}

const LEFT_OUT_OF_ANSWERS: ReadonlySet<string> = new Set(['required', 'description', 'format']);

/** Names one level of an answer: what lies in it shows in the answer itself, and the reference page has it all. */
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
  // JSON Schema of ours holds plain objects only.
  return typeof value === 'object' && value !== null ? mapSchemas(value as JsonSchema, change) : value;
}

function asObject(schema: JsonSchema): ObjectSchema {
  // argumentSchema and every output that a tool shows have an object at the root, which the tests over the whole surface check.
  return schema as ObjectSchema;
}

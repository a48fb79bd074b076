import type { z } from 'zod';
import { type JsonSchema, toInlineSchema, withItems } from './json-schema.ts';
import type { ItemwiseBody, Operation } from './operation.ts';

export type ArgumentPlace = 'params' | 'query' | 'headers' | 'body';

/** A named argument of an operation, wherever it is in the HTTP request. */
export interface Argument {
  readonly name: string;
  readonly place: ArgumentPlace;
  /** Its name in that part of the request. */
  readonly key: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

export interface PlacedInput {
  readonly params: Record<string, unknown>;
  readonly query: Record<string, unknown>;
  readonly headers: Record<string, unknown>;
  readonly body: unknown;
}

/**
 * An operation's input as one flat list of named arguments, as MCP tools and CLI flags take them. Headers become snake_case names
 * (`idempotency_key`); `x-` headers are left out, since they only repeat fields of the body.
 */
export function argumentsOf(operation: Operation): readonly Argument[] {
  const known = CONVERTED.get(operation);
  if (known !== undefined) return known;
  const list = [
    ...fieldsOf(operation.params, 'params'),
    ...fieldsOf(operation.query, 'query'),
    ...fieldsOf(operation.body, 'body', operation.itemwise),
    ...fieldsOf(operation.headers, 'headers').filter(({ key }) => !key.startsWith('x-')),
  ];
  CONVERTED.set(operation, list);
  return list;
}

/** Operations never change, and converting the schemas of a send takes milliseconds, so the result is cached. */
const CONVERTED = new WeakMap<Operation, readonly Argument[]>();

/** The flat arguments as one JSON Schema with a root object and no references. */
export function argumentSchema(operation: Operation): JsonSchema {
  const list = argumentsOf(operation);
  const required = list.filter((argument) => argument.required).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(list.map(({ name, schema }) => [name, schema])),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

/**
 * Puts flat arguments into the right part of the request. An unknown name is put where unknown fields are refused by name:
 * into the body if there is one, else into the query.
 */
export function placeArguments(operation: Operation, given: Readonly<Record<string, unknown>>): PlacedInput {
  const known = new Map(argumentsOf(operation).map((argument) => [argument.name, argument]));
  const placed = {
    params: {} as Record<string, unknown>,
    query: {} as Record<string, unknown>,
    headers: {} as Record<string, unknown>,
    body: {} as Record<string, unknown>,
  };
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const argument = known.get(name);
    const place = argument?.place ?? (operation.body ? 'body' : 'query');
    Object.defineProperty(placed[place], argument?.key ?? name, { value, enumerable: true });
  }
  return { ...placed, body: operation.body ? placed.body : undefined };
}

function fieldsOf(schema: z.ZodType | undefined, place: ArgumentPlace, itemwise?: ItemwiseBody): Argument[] {
  if (schema === undefined) return [];
  const own = toInlineSchema(schema, 'input');
  const json = itemwise === undefined ? own : withItems(own, itemwise.field, toInlineSchema(itemwise.item, 'input'));
  const properties = (json['properties'] ?? {}) as Record<string, JsonSchema>; // The JSON Schema of an object.
  const required = new Set((json['required'] ?? []) as string[]); // The JSON Schema of an object.
  return Object.entries(properties).map(([key, property]) => ({
    name: key.replaceAll('-', '_'),
    place,
    key,
    required: required.has(key),
    schema: property,
  }));
}

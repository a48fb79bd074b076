import { z } from 'zod';

export type JsonSchema = { readonly [key: string]: unknown };

/** Schemas by name, in the form of `components.schemas`. */
export type Components = Record<string, JsonSchema>;

/**
 * The JSON Schema of a zod schema for OpenAPI: schemas with an id (`.meta({id})`) are moved to `components` and referenced.
 * `input` describes requests, `output` responses; outputs stay open, so that new fields break no client.
 */
export function toComponentSchema(schema: z.ZodType, io: 'input' | 'output', components: Components): JsonSchema {
  const { $defs, ...root } = convert(schema, io);
  for (const [name, definition] of Object.entries(asRecord($defs))) hoist(name, asRecord(definition), components);
  const { id, ...named } = root;
  if (typeof id !== 'string') return pointToComponents(root);
  hoist(id, named, components);
  return { $ref: `#/components/schemas/${id}` };
}

/** The JSON Schema of a zod schema without `$ref`: some model providers reject references. */
export function toInlineSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $defs, ...root } = convert(schema, io);
  return asRecord(inline(root, asRecord($defs)));
}

/** The schema of a body whose list `field` has the published item schema, if the schema itself leaves the items open. */
export function withItems(body: JsonSchema, field: string, items: JsonSchema): JsonSchema {
  const properties = asRecord(body['properties']);
  return { ...body, properties: { ...properties, [field]: { ...asRecord(properties[field]), items } } };
}

function convert(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...raw } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  const json = asRecord(mapObjects(raw, publish));
  return io === 'output' ? asRecord(openObjects(json)) : json;
}

/** `.meta({publishedAs})` sets the published schema if the parsed type depends on the transport, as for numbers in query strings. */
function publish(node: JsonSchema): JsonSchema {
  if (node['publishedAs'] === undefined) return node;
  const { description } = node;
  return { ...asRecord(node['publishedAs']), ...(description === undefined ? {} : { description }) };
}

function hoist(name: string, definition: JsonSchema, components: Components): void {
  const { id: _, ...plain } = definition;
  const clean = pointToComponents(plain);
  const existing = components[name];
  if (existing !== undefined && JSON.stringify(existing) !== JSON.stringify(clean)) {
    throw new Error(`two different schemas are named ${name}`);
  }
  components[name] = clean;
}

function pointToComponents(schema: JsonSchema): JsonSchema {
  return asRecord(
    mapObjects(schema, (node) =>
      typeof node['$ref'] === 'string' ? { $ref: node['$ref'].replace('#/$defs/', '#/components/schemas/') } : node,
    ),
  );
}

function inline(node: unknown, definitions: JsonSchema): unknown {
  return mapObjects(node, (object) => {
    if (typeof object['$ref'] !== 'string') {
      const { id, ...rest } = object;
      return typeof id === 'string' && ('type' in object || 'enum' in object) ? rest : object;
    }
    const { id: _, ...definition } = asRecord(definitions[object['$ref'].replace('#/$defs/', '')]);
    const { $ref: __, ...beside } = object;
    return asRecord(inline({ ...definition, ...beside }, definitions));
  });
}

/** `additionalProperties: false` in a response would make every new field a breaking change. A map keeps its value schema. */
function openObjects(node: unknown): unknown {
  return mapObjects(node, (object) => {
    if (object['additionalProperties'] !== false) return object;
    const { additionalProperties: _, ...open } = object;
    return open;
  });
}

function mapObjects(node: unknown, change: (object: JsonSchema) => JsonSchema): unknown {
  if (Array.isArray(node)) return node.map((item) => mapObjects(item, change));
  if (typeof node !== 'object' || node === null) return node;
  const changed = change(asRecord(node));
  return Object.fromEntries(Object.entries(changed).map(([key, value]) => [key, mapObjects(value, change)]));
}

function asRecord(value: unknown): JsonSchema {
  // Callers pass parsed JSON Schema objects; anything else counts as an empty schema.
  return typeof value === 'object' && value !== null ? (value as JsonSchema) : {};
}

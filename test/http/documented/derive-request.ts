import { type JsonSchema, type Operation, toInlineSchema } from '@postrider/core';
import type { AccountWorld } from './account-world.ts';
import { THINGS } from './things.ts';
import type { ValidRequest } from './valid-request.ts';

/**
 * The least that an operation asks for by its declaration: a thing of the kind that its path names, and a body of the required fields with
 * an example of each, a value of its list or one of its form.
 * @throws Error where that is no valid request; it is written by hand then
 */
export async function deriveRequest(operation: Operation, world: AccountWorld): Promise<ValidRequest> {
  const params = await paramsOf(operation, world);
  const query = operation.query?.safeParse({}).success === false ? leastOf(schemaOf(operation.query), world) : {};
  const body = bodyOf(operation, world);
  const isValid =
    (operation.params?.safeParse(params).success ?? true) &&
    (operation.query?.safeParse(query).success ?? true) &&
    (operation.body?.safeParse(body).success ?? true);
  if (!isValid) throw new Error(`${operation.id} needs a request of its own in valid-requests.ts`);
  // The least value of an object schema is an object, and queries are written as texts.
  return { params, query: query as Record<string, string>, ...(body === undefined ? {} : { body }) };
}

async function paramsOf({ id, path }: Operation, world: AccountWorld): Promise<Record<string, string>> {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name);
  if (names.length === 0) return {};
  const make = THINGS[path.slice(0, path.indexOf('/:'))];
  if (make === undefined || names.join() !== 'id')
    throw new Error(`${id} needs a request of its own in valid-requests.ts`);
  return await make(world);
}

function bodyOf({ body }: Operation, world: AccountWorld): unknown {
  if (body === undefined || body.safeParse(undefined).success) return undefined;
  return leastOf(schemaOf(body), world);
}

function schemaOf(schema: NonNullable<Operation['body']>): JsonSchema {
  return toInlineSchema(schema, 'input');
}

function leastOf(schema: JsonSchema, world: AccountWorld): unknown {
  const [given] = [schema['examples'], schema['enum']].filter(Array.isArray).flat();
  if (given !== undefined) return given;
  if ('const' in schema) return schema['const'];
  const [choice] = [schema['anyOf'], schema['oneOf']].filter(Array.isArray).flat();
  if (choice !== undefined) return leastOf(choice, world);
  switch (schema['type']) {
    case 'object': {
      const { properties = {}, required = [] } = schema as ObjectSchema;
      return Object.fromEntries(required.map((name) => [name, leastOf(properties[name] ?? {}, world)]));
    }
    case 'array':
      return Number(schema['minItems'] ?? 0) > 0 ? [leastOf(asSchema(schema['items']), world)] : [];
    case 'integer':
    case 'number':
      return schema['minimum'] ?? 1;
    case 'boolean':
      return true;
    case 'string':
      return textOf(schema['format'], world);
    default:
      return null;
  }
}

/** Of an object; schemas are JSON. */
interface ObjectSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
}

function textOf(format: unknown, world: AccountWorld): string {
  switch (format) {
    case 'email':
      return `${world.fresh('someone')}@sandbox.test`;
    case 'uri':
      return 'https://example.com/';
    case 'date-time':
      return world.server.clock.now().toISOString();
    default:
      return world.fresh('word-');
  }
}

function asSchema(value: unknown): JsonSchema {
  // The items of a list are described by a schema.
  return (value ?? {}) as JsonSchema;
}

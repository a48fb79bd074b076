import { createMcpServer, TOOLS } from '@postrider/mcp';
import { describe, expect, it } from 'vitest';
import { listTools } from './list-tools.ts';
import { scriptInvoke } from './scripted-invoke.ts';

type Schema = Readonly<Record<string, unknown>>;

interface Place {
  readonly path: string;
  /** The keyword it is under; empty at the root. */
  readonly keyword: string;
  readonly node: unknown;
}

const SINGLE = ['items', 'contains', 'not', 'propertyNames', 'if', 'then', 'else', 'contentSchema'] as const;
/** Where a bare boolean is the common way to say it. */
const BOOLEAN_OR_SCHEMA = ['additionalProperties', 'unevaluatedProperties', 'unevaluatedItems'] as const;
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'] as const;
const MAPS = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'] as const;

/** What says nothing about a value: a schema of these alone takes anything. */
const ANNOTATIONS = new Set([
  ...['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly', '$comment'],
  ...['$id', '$schema', '$anchor', '$vocabulary', '$defs', 'definitions'],
]);

/** Every subschema of a schema, the root included; values such as defaults are none. */
function placesOf(node: unknown, path = '', keyword = ''): Place[] {
  const here = { path, keyword, node };
  if (typeof node !== 'object' || node === null) return [here];
  const schema = node as Schema; // An object, as just seen.
  const single = [...SINGLE, ...BOOLEAN_OR_SCHEMA].filter((name) => name in schema);
  return [
    here,
    ...single.flatMap((name) => placesOf(schema[name], `${path}.${name}`, name)),
    ...LISTS.flatMap((name) =>
      Array.isArray(schema[name])
        ? schema[name].flatMap((inner, index) => placesOf(inner, `${path}.${name}[${index}]`, name))
        : [],
    ),
    ...MAPS.flatMap((name) =>
      Object.entries(schema[name] ?? {}).flatMap(([key, inner]) => placesOf(inner, `${path}.${name}.${key}`, name)),
    ),
  ];
}

/**
 * What is legal JSON Schema and yet refused or misread by clients and model providers: the rules of the MCP Inspector's lint of tools, as
 * strict as it has them.
 */
function unportableOf(schema: unknown): string[] {
  return placesOf(schema).flatMap(({ path, keyword, node }) => {
    if (typeof node === 'boolean')
      return BOOLEAN_OR_SCHEMA.some((name) => name === keyword) ? [] : [`${path}: bare ${node}`];
    if (typeof node !== 'object' || node === null) return [`${path}: no schema`];
    const { type, $ref } = node as Schema; // An object, as just seen.
    return [
      ...(Array.isArray(type) ? [`${path}: union of types`] : []),
      ...(typeof $ref === 'string' && !$ref.startsWith('#') ? [`${path}: reference to elsewhere`] : []),
      ...(keyword !== 'not' && Object.keys(node).every((name) => ANNOTATIONS.has(name))
        ? [`${path}: takes anything`]
        : []),
    ];
  });
}

describe('the schemas of the tools', () => {
  it.each(TOOLS.map(({ definition }) => [definition.name, definition] as const))(
    'are read the same by every client: %s',
    (_name, { inputSchema, outputSchema }) => {
      expect(unportableOf(inputSchema)).toEqual([]);
      expect(unportableOf(outputSchema)).toEqual([]);
    },
  );

  it('are reported when they are wrong', () => {
    const wrong = {
      type: 'object',
      properties: {
        a: true,
        b: { type: ['string', 'null'] },
        c: { description: 'x' },
        d: { $ref: 'https://x.test/a' },
      },
      additionalProperties: {},
    };
    expect(unportableOf(wrong)).toEqual([
      '.additionalProperties: takes anything',
      '.properties.a: bare true',
      '.properties.b: union of types',
      '.properties.c: takes anything',
      '.properties.d: reference to elsewhere',
    ]);
  });
});

describe('the cost of the default listing', () => {
  it('is at most 6,000 tokens and 24 KB, and is printed', async () => {
    const tools = await listTools(
      createMcpServer({ invoke: scriptInvoke({}).invoke, scopes: null, caller: 'k', version: '0.0.0' }),
    );
    const bytes = Buffer.byteLength(JSON.stringify(tools));
    const tokens = Math.ceil(JSON.stringify(tools).length / 4);
    console.log(`the default listing: ${tools.length} tools, ${bytes} bytes, about ${tokens} tokens`);
    const advice =
      'Shorten the descriptions of the default tools and of their fields in packages/core, or give a tool a toolset.';
    expect(bytes, advice).toBeLessThanOrEqual(24_000);
    expect(tokens, advice).toBeLessThanOrEqual(6_000);
  });
});

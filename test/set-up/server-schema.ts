import { z } from 'zod';

/**
 * The format of `server.json`, version 2025-12-11 of the MCP registry's schema, as far as our file uses it. It is stricter than that schema in
 * two ways: an unknown field is an error, because it is usually a misspelled one, and every placeholder in braces needs a variable.
 */
const input = z.strictObject({
  description: z.string().min(1).optional(),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
  format: z.enum(['string', 'number', 'boolean', 'filepath']).optional(),
  default: z.string().optional(),
  placeholder: z.string().optional(),
  value: z.string().optional(),
  choices: z.array(z.string()).optional(),
});

const keyValueInput = input
  .extend({ name: z.string().min(1), variables: z.record(z.string(), input).optional() })
  .refine(({ value = '', variables = {} }) => isComplete(value, variables), 'A placeholder has no variable.');

const icon = z.strictObject({
  src: z.url({ protocol: /^https$/ }).max(255),
  mimeType: z.enum(['image/png', 'image/jpeg', 'image/jpg', 'image/svg+xml', 'image/webp']).optional(),
  sizes: z.array(z.string().regex(/^(?:\d+x\d+|any)$/)).optional(),
  theme: z.enum(['light', 'dark']).optional(),
});

/** One exact version: ranges and `latest` are refused. */
const version = z
  .string()
  .max(255)
  .regex(/^\d+\.\d+\.\d+(?:-[\w.]+)?$/);

const npmPackage = z.strictObject({
  registryType: z.literal('npm'),
  identifier: z.string().regex(/^(?:@[a-z0-9-]+\/)?[a-z0-9-]+$/),
  version,
  runtimeHint: z.literal('npx'),
  transport: z.strictObject({ type: z.literal('stdio') }),
  environmentVariables: z.array(keyValueInput),
});

const remote = z
  .strictObject({
    type: z.literal('streamable-http'),
    url: z.string().regex(/^https?:\/\/[^\s]+$/),
    variables: z.record(z.string(), input),
    headers: z.array(keyValueInput),
  })
  .refine(({ url, variables }) => isComplete(url, variables), 'A placeholder has no variable.');

export const serverJsonSchema = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version,
  icons: z.array(icon),
  packages: z.array(npmPackage),
  remotes: z.array(remote),
});

/** The template with its placeholders filled in, as a client does it. */
export function fillIn(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

function isComplete(template: string, variables: Readonly<Record<string, unknown>>): boolean {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return names.length === Object.keys(variables).length && names.every((name) => name in variables);
}

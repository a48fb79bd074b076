import type { Template } from '@postrider/core';

type Sample = { [name: string]: unknown };

/** Values to try a template with, as JSON for a text field: each variable has its own name, or an address of the kind that the name says. */
export function writeSamples(variables: Template['variables']): string {
  const sample: Sample = {};
  for (const { name } of variables) place(sample, name.split('.'));
  return variables.length === 0 ? '{}' : JSON.stringify(sample, null, 2);
}

export type ReadSamples =
  | { readonly ok: true; readonly values: Record<string, unknown> }
  | { readonly ok: false; readonly fault: string };

/** Reads the sample values of a form. An empty field has none. */
export function readSamples(text: string): ReadSamples {
  if (text.trim() === '') return { ok: true, values: {} };
  try {
    const values: unknown = JSON.parse(text);
    if (typeof values === 'object' && values !== null && !Array.isArray(values))
      return { ok: true, values: values as Record<string, unknown> }; // Checked just now; the values can be anything.
    return { ok: false, fault: 'must be a JSON object such as {"name": "Ada"}' };
  } catch (error) {
    return { ok: false, fault: `is not JSON: ${error instanceof Error ? error.message : 'it cannot be read'}` };
  }
}

/** `items[].price` is a list of objects, `tags[]` a list of values. */
function place(into: Sample, [head = '', ...rest]: readonly string[]): void {
  const isList = head.endsWith('[]');
  const name = isList ? head.slice(0, head.indexOf('[]')) : head;
  if (name === '' || name === '__proto__') return;
  const known = Object.hasOwn(into, name) ? into[name] : undefined;
  if (rest.length === 0) {
    if (known === undefined) into[name] = isList ? [sampleOf(name)] : sampleOf(name);
    return;
  }
  const first: unknown = Array.isArray(known) ? known[0] : known;
  const inner: Sample = isSample(first) ? first : {};
  into[name] = isList ? [inner] : inner;
  place(inner, rest);
}

function isSample(value: unknown): value is Sample {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sampleOf(name: string): string {
  const lower = name.toLowerCase();
  if (lower.endsWith('url') || lower.endsWith('link')) return 'https://example.com/';
  if (lower.endsWith('email')) return 'ada@example.com';
  const words = name.replaceAll('_', ' ').replaceAll('-', ' ').trim();
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/**
 * Readers for answers. The views show what is there and leave out what is not: a server of another version may know fewer fields or more,
 * and a person who reads a table is not helped by a parse error.
 */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** A record of the contract as a server of any version may answer it: by its names, of which each may be missing, or hold something else. */
export type Shown<Value> = { readonly [Name in NameOf<Value>]?: unknown };
type NameOf<Value> = Value extends unknown ? keyof Value : never;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The records of a list; anything else in it is left out. */
export function recordsOf<Row = JsonRecord>(value: unknown): readonly Shown<Row>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** A scalar as text, a list of scalars joined by commas, anything else as JSON; empty where there is nothing. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.map(textOf).join(', ');
  return JSON.stringify(value);
}

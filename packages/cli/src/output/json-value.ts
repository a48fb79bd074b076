/**
 * Readers for responses. A server of another version may have fewer or more fields. The views show what is present: a parse error would
 * not help a user who reads a table.
 */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** A record of the contract from a server of any version: each field may be missing or have another type. */
export type Shown<Value> = { readonly [Name in NameOf<Value>]?: unknown };
type NameOf<Value> = Value extends unknown ? keyof Value : never;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The records of a list, without other values. */
export function recordsOf<Row = JsonRecord>(value: unknown): readonly Shown<Row>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** A scalar as text, a list of scalars joined by commas, anything else as JSON; empty for null. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.map(textOf).join(', ');
  return JSON.stringify(value);
}

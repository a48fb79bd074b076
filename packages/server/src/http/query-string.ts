/** Repeated parameters become arrays, which no schema but a repeatable one takes: nothing a caller asked for is dropped in silence. */
export function parseQueryString(text: string): Record<string, unknown> {
  const query: Record<string, unknown> = Object.create(null) as Record<string, unknown>; // No prototype: `__proto__` is a name like any other.
  for (const [name, value] of new URLSearchParams(text)) {
    const before = query[name];
    if (before === undefined) query[name] = value;
    else query[name] = Array.isArray(before) ? [...before, value] : [before, value];
  }
  return query;
}

/** Repeated parameters become arrays, which only repeatable schemas accept, so that no parameter is silently ignored. */
export function parseQueryString(text: string): Record<string, unknown> {
  const query: Record<string, unknown> = Object.create(null) as Record<string, unknown>; // No prototype: `__proto__` is a normal name here.
  for (const [name, value] of new URLSearchParams(text)) {
    const before = query[name];
    if (before === undefined) query[name] = value;
    else query[name] = Array.isArray(before) ? [...before, value] : [before, value];
  }
  return query;
}

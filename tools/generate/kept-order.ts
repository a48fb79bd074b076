/**
 * Keeps the order of a committed list, because help, documents and listings are arranged by hand. Names that no longer exist are removed; a
 * new name comes after the last one of its group, or at the end.
 */
export function keepOrder(
  names: readonly string[],
  committed: readonly string[],
  groupOf: (name: string) => string = () => '',
): readonly string[] {
  const ordered = committed.filter((name) => names.includes(name));
  for (const name of names.filter((one) => !ordered.includes(one)).sort()) {
    const last = ordered.findLastIndex((other) => groupOf(other) === groupOf(name));
    ordered.splice(last < 0 ? ordered.length : last + 1, 0, name);
  }
  return ordered;
}

/** The names of a committed list, one per line. */
export function namesListed(text: string): readonly string[] {
  return [...text.matchAll(/^ {2}'?(\w+)'?,$/gm)].map(([, name = '']) => name);
}

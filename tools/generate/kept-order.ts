/**
 * The names in the order that a committed list has, so that help, documents and listings stay as people arranged them: what is gone leaves, and
 * a new name comes after the last one of its group, or at the end.
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

/** The names on lines of their own in a committed list. */
export function namesListed(text: string): readonly string[] {
  return [...text.matchAll(/^ {2}'?(\w+)'?,$/gm)].map(([, name = '']) => name);
}

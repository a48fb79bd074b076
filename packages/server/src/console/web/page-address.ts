import type { PageForm } from './page-form.ts';

/** The named fields of a query that have a value, as an operation's query accepts them. */
export function queryOf<Name extends string>(query: PageForm, names: readonly Name[]): Partial<Record<Name, string>> {
  const given = names.flatMap((name) => {
    const value = query.text(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(given) as Partial<Record<Name, string>>; // The names come from the list.
}

/** A path with a query. Values that are missing or empty are left out; a list repeats its name. */
export function withQuery(
  path: string,
  query: Readonly<Record<string, string | readonly string[] | undefined | null>>,
): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    const values = typeof value === 'string' ? [value] : (value ?? []);
    for (const one of values) if (one !== '') search.append(name, one);
  }
  const written = search.toString();
  return written === '' ? path : `${path}?${written}`;
}

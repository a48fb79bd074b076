/** How JavaScript writes an object as text, also after filters that change its case or encode it for a URL. */
const OBJECT_AS_TEXT = /object(?: |%20|\+)object/i;

/** A variable that is printed as a whole, such as `user`, or `items[]` for the elements of a list. */
export interface PrintedObject {
  readonly name: string;
  /** One of its fields, for the error message; null if it has none. */
  readonly field: string | null;
}

/** Whether a rendered text may contain an object. This is all that most renderings pay. */
export function mayPrintObject(text: string): boolean {
  return OBJECT_AS_TEXT.test(text);
}

/**
 * Finds the caller's objects that a rendering converts to text: renders again with copies that record it. Filters convert too, so the
 * placeholders alone would not show it.
 */
export function findPrintedObjects(
  variables: Readonly<Record<string, unknown>>,
  render: (variables: Readonly<Record<string, unknown>>) => void,
): readonly PrintedObject[] {
  const printed = new Map<string, PrintedObject>();
  const copies = Object.entries(variables).map(([name, value]) => [name, copyOf(value, name, printed)]);
  render(Object.fromEntries(copies));
  return [...printed.values()];
}

function copyOf(value: unknown, name: string, printed: Map<string, PrintedObject>): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => copyOf(item, `${name}[]`, printed));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([key, inner]) => [key, copyOf(inner, `${name}.${key}`, printed)]);
  // The engine reads only own properties, so a template cannot see the prototype.
  return Object.setPrototypeOf(Object.fromEntries(fields), {
    toString: () => {
      printed.set(name, { name, field: Object.keys(value)[0] ?? null });
      return String({});
    },
  });
}

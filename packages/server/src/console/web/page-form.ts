/** The fields of a form or of a query, as sent. A field can occur several times. */
export class PageForm {
  readonly #fields: readonly (readonly [string, string])[];

  constructor(fields: Iterable<readonly [string, string]>) {
    this.#fields = [...fields];
  }

  /** The first value of a field as it was sent; null if it is missing. */
  get(name: string): string | null {
    return this.#fields.find(([field]) => field === name)?.[1] ?? null;
  }

  /** The trimmed value; undefined if it is missing or empty, as inputs of operations leave a field out. */
  text(name: string): string | undefined {
    const value = this.get(name)?.trim() ?? '';
    return value === '' ? undefined : value;
  }

  all(name: string): readonly string[] {
    return this.#fields.flatMap(([field, value]) => (field === name ? [value] : []));
  }

  has(name: string): boolean {
    return this.#fields.some(([field]) => field === name);
  }

  /** Values on lines of their own or separated by commas: "a@b.c, @d.e". */
  list(name: string): readonly string[] {
    return this.all(name)
      .flatMap((value) => value.split(/[\n,]/))
      .map((value) => value.trim())
      .filter((value) => value !== '');
  }

  entries(): readonly (readonly [string, string])[] {
    return this.#fields;
  }
}

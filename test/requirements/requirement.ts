/** One thing that the interface specification requires, or the contract that decides what the specification leaves open. */
export interface Requirement {
  /** `<section>.<name>` in kebab case. Tests cite it, so it stays the same when the sentence is reworded. */
  readonly id: string;
  readonly section: string;
  /** One statement of the source. "Not specified" marks what the specification leaves open. */
  readonly sentence: string;
}

type Row = Omit<Requirement, 'section'>;

/** A requirement. At least one test must cite it. */
export function requirement(id: string, sentence: string): Row {
  return { id, sentence };
}

/** Adds the section to all its rows, which keep the order of the source. */
export function section(title: string, rows: readonly Row[]): readonly Requirement[] {
  return rows.map((row) => ({ ...row, section: title }));
}

/** One thing that the interface specification, or the contract that settles what it leaves open, says of the product. */
export interface Requirement {
  /** `<section>.<name>` in kebab case. Tests cite it, so it stays as it is when the words around it change. */
  readonly id: string;
  readonly section: string;
  /** The source's own words, shortened only where a table row or an enumeration had to be taken apart. */
  readonly sentence: string;
}

type Row = Omit<Requirement, 'section'>;

/** A requirement, which a test has to prove. */
export function requirement(id: string, sentence: string): Row {
  return { id, sentence };
}

/** Names the section once for all its rows, which keep the order of the source. */
export function section(title: string, rows: readonly Row[]): readonly Requirement[] {
  return rows.map((row) => ({ ...row, section: title }));
}

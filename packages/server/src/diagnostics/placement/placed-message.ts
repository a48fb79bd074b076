/** One header field: the name in lowercase, the value unfolded and not decoded. */
export interface PlacedField {
  readonly name: string;
  readonly value: string;
  /** The raw length in characters, including folds. */
  readonly size: number;
}

/** A message whose placement is estimated. */
export interface PlacedMessage {
  /** Null if the message was given in parts. */
  readonly raw: Buffer | null;
  /** The size of the whole message; null if it was given in parts, because it is then unknown. */
  readonly fields: readonly PlacedField[] | null;
  readonly from: { readonly address: string; readonly domain: string } | null;
  readonly subject: string | null;
  readonly html: string | null;
  readonly text: string | null;
  readonly filenames: readonly string[];
  /** The structure cannot be parsed; html and text are then null. */
  readonly isUnreadable: boolean;
}

/** The values of a field, in order. */
export function valuesOf(fields: readonly PlacedField[], name: string): readonly string[] {
  return fields.filter((field) => field.name === name).map(({ value }) => value);
}

/** One header field as it stands: the name in lower case, the value unfolded and not decoded. */
export interface PlacedField {
  readonly name: string;
  readonly value: string;
  /** Characters as it stands, its folds included. */
  readonly size: number;
}

/** A message whose placement is estimated. */
export interface PlacedMessage {
  /** Null where the message was given in parts. */
  readonly raw: Buffer | null;
  /** Of the whole message; null where it was given in parts: nobody knows what they will be. */
  readonly fields: readonly PlacedField[] | null;
  readonly from: { readonly address: string; readonly domain: string } | null;
  readonly subject: string | null;
  readonly html: string | null;
  readonly text: string | null;
  readonly filenames: readonly string[];
  /** The structure cannot be read; then html and text are null. */
  readonly isUnreadable: boolean;
}

/** The values of a field, in order. */
export function valuesOf(fields: readonly PlacedField[], name: string): readonly string[] {
  return fields.filter((field) => field.name === name).map(({ value }) => value);
}

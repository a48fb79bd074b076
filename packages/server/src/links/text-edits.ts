/** Replaces what stands from `start` to `end`. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text with its edits, which are in order and do not overlap. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  if (edits.length === 0) return text;
  const parts: string[] = [];
  let from = 0;
  for (const edit of edits) {
    parts.push(text.slice(from, edit.start), edit.text);
    from = edit.end;
  }
  parts.push(text.slice(from));
  return parts.join('');
}

/** Edits up to where they make a text too long: what is then to be refused must not cost more than what is taken. */
export function collectEdits(
  text: string,
  edits: Iterable<TextEdit>,
  maxCharacters: number,
): readonly TextEdit[] | null {
  const collected: TextEdit[] = [];
  let length = text.length;
  for (const edit of edits) {
    length += edit.text.length - (edit.end - edit.start);
    if (length > maxCharacters) return null;
    collected.push(edit);
  }
  return collected;
}

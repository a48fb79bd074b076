/** Replaces the text from `start` to `end`. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Applies edits, which are in order and do not overlap. */
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

/** Collects edits until the text gets too long: rejecting a text must not cost more than accepting one. */
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

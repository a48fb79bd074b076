/**
 * Characters that control a terminal and that a reader does not see: control characters, with which text can recolor,
 * retitle or rewrite a terminal, and marks that change the text direction.
 */
const INERT =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Converts text from a customer to lines that are safe to print. */
export function printableLines(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(INERT, '')
    .replaceAll('\t', '    ');
}

/** The same on one line. */
export function printableLine(text: string): string {
  return printableLines(text).replace(/\s+/g, ' ').trim();
}

/** The JSON of a value without raw control characters: characters that JSON does not require to be escaped are escaped as well. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replace(
    INERT,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

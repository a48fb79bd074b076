/**
 * Control sequences of terminals (ECMA-48): CSI with its parameters, the string sequences (OSC, DCS, SOS, PM, APC) up to their end, and
 * the two-character escapes; each in its 7-bit and its 8-bit form. An unfinished string sequence loses its introducer only.
 */
const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]?/g;
/** C0, DEL and C1 without line feed and tab; then the characters that change the direction or the line of the text around them. */
const CONTROLS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/**
 * Untrusted text on one line, safe for a terminal. Subjects, replies of mail servers and even texts of our own server may contain escape
 * sequences that change the colors, the title or the content of a terminal, or paste into it.
 */
export function singleLine(text: string): string {
  return withoutControls(text.replace(/[\r\n\v\f\u2028\u2029]/g, ' '))
    .replace(/\s+/g, ' ')
    .trim();
}

/** The same for text of several lines: line breaks stay, tabs become spaces. */
export function severalLines(text: string): string {
  return withoutControls(text.replace(/\r\n?/g, '\n')).replaceAll('\t', '    ');
}

/**
 * Removes invisible characters (Unicode's default ignorable code points, except the joiners of scripts and emoji): approvers decide by what
 * they see, so nothing may hide between the letters.
 */
export function withoutInvisibles(text: string): string {
  return text.replace(/(?!\u200c|\u200d|\ufe0e|\ufe0f)\p{Default_Ignorable_Code_Point}/gu, '');
}

/** Escapes control characters in a JSON document as `\u…`, which does not change its values. */
export function inertJson(json: string): string {
  return json.replace(CONTROLS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function withoutControls(text: string): string {
  return text.toWellFormed().replace(SEQUENCES, '').replace(CONTROLS, '');
}

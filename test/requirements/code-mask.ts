/**
 * Returns the source with the inside of every comment, string, template and regular expression blanked, and every other
 * character at its own offset. Quotes stay, so a caller finds where a literal begins and ends; a bracket, a quote or a
 * call that is inside a literal or a comment no longer looks like code.
 */
export function maskLiterals(source: string): string {
  let mask = '';
  while (mask.length < source.length) {
    const start = mask.length;
    const end = literalEnd(source, start, mask);
    mask += end === null ? source.charAt(start) : blank(source, start, end);
  }
  return mask;
}

const LINE_COMMENT = '//';
const BLOCK_COMMENT = '/*';

/** The offset after the literal or comment that begins at `start`, or null where code continues. */
function literalEnd(source: string, start: number, codeBefore: string): number | null {
  const character = source.charAt(start);
  if (source.startsWith(LINE_COMMENT, start)) return indexOrEnd(source, '\n', start);
  if (source.startsWith(BLOCK_COMMENT, start)) return indexOrEnd(source, '*/', start + 2) + 2;
  if (character === "'" || character === '"') return quotedEnd(source, start, character);
  if (character === '`') return templateEnd(source, start);
  if (character === '/' && beginsRegularExpression(codeBefore)) return regularExpressionEnd(source, start);
  return null;
}

/** Comments are blanked whole; of literals the first and the last character stay. Line breaks stay everywhere. */
function blank(source: string, start: number, end: number): string {
  const text = source.slice(start, end);
  const blanked = text.replaceAll(/[^\n]/g, ' ');
  if (text.startsWith(LINE_COMMENT) || text.startsWith(BLOCK_COMMENT) || text.length < 2) return blanked;
  return text.charAt(0) + blanked.slice(1, -1) + text.slice(-1);
}

function quotedEnd(source: string, start: number, quote: string): number {
  let at = start + 1;
  while (at < source.length && source.charAt(at) !== quote) at += source.charAt(at) === '\\' ? 2 : 1;
  return at + 1;
}

/** Code inside `${…}` may hold its own literals, even templates, so it is walked like code to its closing brace. */
function templateEnd(source: string, start: number): number {
  let at = start + 1;
  while (at < source.length && source.charAt(at) !== '`') {
    if (source.startsWith('${', at)) at = substitutionEnd(source, at + 2);
    else at += source.charAt(at) === '\\' ? 2 : 1;
  }
  return at + 1;
}

function substitutionEnd(source: string, start: number): number {
  let at = start;
  for (let depth = 1; at < source.length && depth > 0; ) {
    const end = literalEnd(source, at, source.slice(start, at));
    if (end === null && source.charAt(at) === '{') depth += 1;
    if (end === null && source.charAt(at) === '}') depth -= 1;
    at = end ?? at + 1;
  }
  return at;
}

function regularExpressionEnd(source: string, start: number): number {
  let inClass = false;
  for (let at = start + 1; at < source.length; at += 1) {
    const character = source.charAt(at);
    if (character === '\\') at += 1;
    else if (character === '[') inClass = true;
    else if (character === ']') inClass = false;
    else if (character === '/' && !inClass) return at + 1;
    else if (character === '\n') return start + 1;
  }
  return start + 1;
}

/** A slash divides after a value (a name, a number, a closing bracket, a literal) and begins a literal after all else. */
function beginsRegularExpression(codeBefore: string): boolean {
  const tail = codeBefore.slice(-200).trimEnd();
  if (/\b(?:return|typeof|case|in|of|do|else|void|delete|yield|await)$/.test(tail)) return true;
  return !/[\w$)\]}'"`/]$/.test(tail);
}

function indexOrEnd(source: string, needle: string, from: number): number {
  const index = source.indexOf(needle, from);
  return index === -1 ? source.length : index;
}

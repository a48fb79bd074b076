/** The closing bracket of each kind of block. */
const CLOSING: ReadonlyMap<string, string> = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
]);

/** CSS as browsers read it first: every end of a line is a line feed, and a comment separates what is beside it. */
export function readCssText(given: string): string {
  const css = /[\r\f]/.test(given) ? given.replaceAll(/[\r\f]/g, '\n') : given;
  if (!css.includes('/*')) return css;
  const parts: string[] = [];
  let start = 0;
  const special = /\/\*|["'\\(]/g;
  for (let found = special.exec(css); found !== null; found = special.exec(css)) {
    const { index } = found;
    if (found[0] !== '/*') {
      special.lastIndex = found[0] === '(' && !isBareUrl(css, index) ? index + 1 : unitEnd(css, index);
      continue;
    }
    parts.push(css.slice(start, index));
    const close = css.indexOf('*/', index + 2);
    start = close < 0 ? css.length : close + 2;
    special.lastIndex = start;
  }
  parts.push(css.slice(start));
  return parts.join(' ');
}

/** Splits at a character that is not in a string or in brackets. */
export function splitCss(css: string, separator: ';' | ',' | ' '): readonly string[] {
  const parts: string[] = [];
  let start = 0;
  const special = separator === ' ' ? /[\s"'\\([{]/g : separator === ',' ? /[,"'\\([{]/g : /[;"'\\([{]/g;
  for (let found = special.exec(css); found !== null; found = special.exec(css)) {
    const [mark] = found;
    if (mark !== separator && !(separator === ' ' && /\s/.test(mark))) {
      special.lastIndex = unitEnd(css, found.index);
      continue;
    }
    parts.push(css.slice(start, found.index));
    start = special.lastIndex;
  }
  parts.push(css.slice(start));
  return separator === ' ' ? parts.filter((part) => part !== '') : parts;
}

/** The index after an escape, a string or a block that begins at `open`. Blocks end as in browsers: at their own bracket or with the text. */
export function unitEnd(css: string, open: number): number {
  const first = css.charAt(open);
  if (first === '\\') return open + 2;
  if (first === '"' || first === "'") return stringEnd(css, open);
  const closers: string[] = [];
  const special = /[\\"'()[\]{}]/g;
  special.lastIndex = open;
  for (let found = special.exec(css); found !== null; found = special.exec(css)) {
    const [mark] = found;
    const closer = CLOSING.get(mark);
    if (mark === closers.at(-1)) closers.pop();
    else if (mark === '\\' || mark === '"' || mark === "'") special.lastIndex = unitEnd(css, found.index);
    else if (mark === '(' && isBareUrl(css, found.index)) special.lastIndex = bareUrlEnd(css, found.index);
    else if (closer !== undefined) closers.push(closer);
    if (closers.length === 0) return special.lastIndex;
  }
  return css.length;
}

/** The index after a string, which also ends with its line. */
function stringEnd(css: string, open: number): number {
  const end = /\\[\s\S]|["'\n]/g;
  end.lastIndex = open + 1;
  for (let found = end.exec(css); found !== null; found = end.exec(css)) {
    if (found[0] === css[open] || found[0] === '\n') return end.lastIndex;
  }
  return css.length;
}

/** Longer than `url` with every letter escaped. */
const URL_CHARACTERS = 30;

/** Whether a bracket opens an address without quotes, in which nothing but the closing bracket counts. */
function isBareUrl(css: string, open: number): boolean {
  const name = unescapeCss(css.slice(Math.max(0, open - URL_CHARACTERS), open));
  if (!/(?:^|[^-\w\u0080-\uffff])url$/i.test(name)) return false;
  const start = /[^\s]/g;
  start.lastIndex = open + 1;
  return !/["']/.test(start.exec(css)?.[0] ?? '');
}

function bareUrlEnd(css: string, open: number): number {
  const end = /\\[\s\S]|\)/g;
  end.lastIndex = open + 1;
  for (let found = end.exec(css); found !== null; found = end.exec(css)) if (found[0] === ')') return end.lastIndex;
  return css.length;
}

export function unescapeCss(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replaceAll(/\\(?:([0-9a-f]{1,6})\s?|(.))/gi, (_, hex: string | undefined, other: string | undefined) => {
    const code = Number.parseInt(hex ?? '', 16);
    return other ?? (code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '');
  });
}

/**
 * Lays out plain text: collapses blanks and holds breaks back until text follows, so that no line ends in blanks, at
 * most one line in a row is empty, and no empty line stands first or last.
 */
export class TextLayout {
  readonly #parts: string[] = [];
  /** Line breaks due before the next text: 2 leave an empty line. */
  #breaks = 0;
  /** Blanks due before the next text on the same line; at the start of a line only preformatted text sets them. */
  #gap = '';
  #indent = '';
  /** The list marker due on the next line, its indent included. */
  #marker = '';
  #isSpanOpen = false;
  #spanStart = -1;
  #isAfterSpan = false;

  /** Adds running text; any white space in it counts as one space. */
  addText(text: string): void {
    let at = 0;
    while (at < text.length) {
      const code = text.charCodeAt(at);
      if (isBlank(code)) this.#addSpace();
      if (isBlank(code) || isInvisible(code)) {
        at++;
      } else {
        const end = endOfRun(text, at);
        this.#write(text.slice(at, end));
        at = end;
      }
    }
  }

  /** Adds text whose line breaks and inner blanks stay. */
  addPreformatted(text: string): void {
    text.split(/\r\n?|\n/).forEach((source, index) => {
      if (index > 0) this.addLineBreak();
      const line = source.replace(/[\u00ad\u200b\ufeff]/g, '');
      const indented = line.trimEnd();
      const content = indented.trimStart();
      if (content === '') {
        this.#gap += line;
        return;
      }
      this.#gap += indented.slice(0, indented.length - content.length);
      this.#write(content);
      this.#gap = line.slice(indented.length);
    });
  }

  /** Asks for at least this many line breaks before what comes next. */
  requestBreaks(count: 1 | 2): void {
    if (this.#marker !== '') return; // what a list item holds begins beside its marker
    this.#gap = '';
    if (this.#breaks < count) this.#breaks = count;
  }

  /** Adds one line break to those due. */
  addLineBreak(): void {
    this.requestBreaks(this.#breaks === 0 ? 1 : 2);
  }

  /** Parts the next text from what stands before it on its line: two spaces, where a space would look like one cell. */
  requestCellGap(): void {
    if (this.#breaks === 0 && this.#parts.length > 0) this.#gap = '  ';
  }

  /** Begins a list item on a new line; after the first of a list no empty line may come between. */
  beginItem(marker: string, isFirst: boolean): void {
    this.#marker = '';
    this.requestBreaks(1);
    if (!isFirst) this.#breaks = 1;
    this.#marker = marker;
  }

  endItem(): void {
    this.#marker = '';
  }

  /** What further lines begin with. */
  setIndent(indent: string): void {
    this.#indent = indent;
  }

  /** Begins a span of text that may be replaced or added to when it ends; two that touch are kept apart. */
  beginSpan(): void {
    if (this.#isAfterSpan) this.#addSpace();
    this.#isSpanOpen = true;
    this.#spanStart = -1;
  }

  /** Ends the span; answers what was written since it began, without what was due before it. */
  endSpan(): string {
    this.#isSpanOpen = false;
    return this.#spanStart === -1 ? '' : this.#parts.slice(this.#spanStart).join('');
  }

  /** Replaces the text of the span that just ended. */
  replaceSpan(text: string): void {
    this.#parts.length = this.#spanStart;
    this.attach(text);
  }

  /** Adds to the text before, ahead of whatever is due. */
  attach(text: string): void {
    this.#parts.push(text);
    this.#isAfterSpan = true;
  }

  toString(): string {
    return this.#parts.join('');
  }

  #addSpace(): void {
    if (this.#breaks === 0 && this.#gap === '' && this.#parts.length > 0) this.#gap = ' ';
  }

  #write(text: string): void {
    const isFirst = this.#parts.length === 0;
    const margin = isFirst || this.#breaks > 0 ? this.#marker || this.#indent : '';
    const lead = `${isFirst ? '' : BREAKS[this.#breaks]}${margin}${this.#gap}`;
    if (lead !== '') this.#parts.push(lead);
    if (this.#isSpanOpen && this.#spanStart === -1) this.#spanStart = this.#parts.length;
    this.#parts.push(text);
    this.#breaks = 0;
    this.#gap = '';
    this.#marker = '';
    this.#isAfterSpan = false;
  }
}

const BREAKS = ['', '\n', '\n\n'];

/** The no-break space counts: in mail it is mostly used to push things apart, which plain text cannot show. */
function isBlank(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d) || code === 0xa0;
}

/** Soft hyphens, zero-width spaces and byte order marks guide a browser's layout and mean nothing in plain text. */
function isInvisible(code: number): boolean {
  return code === 0xad || code === 0x200b || code === 0xfeff;
}

/** The end of text that may be copied in one piece: single spaces between words are part of it. */
function endOfRun(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    const isPlain = code > 0x20 && code < 0xa0;
    if (!isPlain && (isInvisible(code) || (isBlank(code) && !isSingleSpace(text, at)))) return at;
    at++;
  }
  return at;
}

/** Whether the blank at `at` is a plain space with text right behind it. */
function isSingleSpace(text: string, at: number): boolean {
  if (text.charCodeAt(at) !== 0x20 || at + 1 >= text.length) return false;
  const next = text.charCodeAt(at + 1);
  return !isBlank(next) && !isInvisible(next);
}

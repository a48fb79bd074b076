/**
 * Lays out plain text. It collapses spaces and defers line breaks until text follows, so that no line ends with spaces, at most one line in
 * a row is empty, and the text neither starts nor ends with an empty line.
 */
export class TextLayout {
  readonly #parts: string[] = [];
  /** Line breaks pending before the next text; two leave an empty line. */
  #breaks = 0;
  /** Spaces pending before the next text on the same line. Only preformatted text sets them at the start of a line. */
  #gap = '';
  #indent = '';
  /** The list marker pending for the next line, including its indent. */
  #marker = '';
  #isSpanOpen = false;
  #spanStart = -1;
  #isAfterSpan = false;

  /** Adds running text; any run of white space counts as one space. */
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

  /** Adds text and keeps its line breaks and inner spaces. */
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

  /** Requests at least this many line breaks before the next text. */
  requestBreaks(count: 1 | 2): void {
    if (this.#marker !== '') return; // The content of a list item starts on the line of its marker.
    this.#gap = '';
    if (this.#breaks < count) this.#breaks = count;
  }

  /** Adds one line break to the pending ones. */
  addLineBreak(): void {
    this.requestBreaks(this.#breaks === 0 ? 1 : 2);
  }

  /** Separates the next text from the previous text on its line by two spaces, since a single space would look like part of one cell. */
  requestCellGap(): void {
    if (this.#breaks === 0 && this.#parts.length > 0) this.#gap = '  ';
  }

  /** Begins a list item on a new line. Items after the first have no empty line before them. */
  beginItem(marker: string, isFirst: boolean): void {
    this.#marker = '';
    this.requestBreaks(1);
    if (!isFirst) this.#breaks = 1;
    this.#marker = marker;
  }

  endItem(): void {
    this.#marker = '';
  }

  /** Sets what the following lines begin with. */
  setIndent(indent: string): void {
    this.#indent = indent;
  }

  /** Begins a span of text that may be replaced or extended when it ends. A space separates adjacent spans. */
  beginSpan(): void {
    if (this.#isAfterSpan) this.#addSpace();
    this.#isSpanOpen = true;
    this.#spanStart = -1;
  }

  /** Ends the span and returns the text written since it began, without the spacing that was pending before it. */
  endSpan(): string {
    this.#isSpanOpen = false;
    return this.#spanStart === -1 ? '' : this.#parts.slice(this.#spanStart).join('');
  }

  /** Replaces the text of the span that just ended. */
  replaceSpan(text: string): void {
    this.#parts.length = this.#spanStart;
    this.attach(text);
  }

  /** Appends to the previous text, before any pending breaks or spaces. */
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

/** The no-break space counts as a blank: mail mostly uses it for spacing, which plain text cannot show. */
function isBlank(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d) || code === 0xa0;
}

/** Soft hyphens, zero-width spaces and byte order marks affect a browser's layout and mean nothing in plain text. */
function isInvisible(code: number): boolean {
  return code === 0xad || code === 0x200b || code === 0xfeff;
}

/** The end of the text that can be copied in one piece, including single spaces between words. */
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

/** Whether the blank at `at` is a plain space followed directly by text. */
function isSingleSpace(text: string, at: number): boolean {
  if (text.charCodeAt(at) !== 0x20 || at + 1 >= text.length) return false;
  const next = text.charCodeAt(at + 1);
  return !isBlank(next) && !isInvisible(next);
}

/** The server sent something that is not an SMTP reply, or sent too much. */
export class MalformedReplyError extends Error {
  override readonly name = 'MalformedReplyError';
}

// RFC 5321 allows 512 bytes per line and does not limit the number of lines. These limits leave room for verbose servers
// and cap the memory that a flood can use at a few kilobytes.
const MAX_LINE_BYTES = 4_096;
const MAX_REPLY_LINES = 500;
const MAX_REPLY_BYTES = 65_536;

const CR = 13;
const HYPHEN = 45;
const SPACE = 32;
const ZERO = 48;

/**
 * Splits a byte stream into SMTP replies (RFC 5321, section 4.2), however the chunks are cut.
 *
 * `onReply` gets each complete reply as its code and its text. The lines of a multi-line reply are joined by `\n`, with
 * one character per byte: most callers need only the code, so the text is decoded only when a caller needs it.
 */
export class SmtpReplyParser {
  readonly #onReply: (code: number, text: string) => void;
  #unfinishedLine = '';
  #code = 0;
  #text = '';
  #lines = 0;
  #stopped = false;

  constructor(onReply: (code: number, text: string) => void) {
    this.#onReply = onReply;
  }

  /** True when no part of another reply has been received. */
  get isEmpty(): boolean {
    return this.#unfinishedLine === '' && this.#lines === 0;
  }

  /** Makes the parser ignore the rest of the current chunk and everything after it. */
  stop(): void {
    this.#stopped = true;
  }

  /** Parses the first `length` bytes of the chunk. Throws MalformedReplyError if they are not a valid reply. */
  push(chunk: Buffer, length: number = chunk.length): void {
    const text = this.#unfinishedLine + chunk.toString('latin1', 0, length);
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      if (this.#stopped) return;
      const lineEnd = end > start && text.charCodeAt(end - 1) === CR ? end - 1 : end;
      this.#takeLine(text.slice(start, lineEnd));
      start = end + 1;
    }
    this.#unfinishedLine = start === text.length ? '' : text.slice(start);
    if (this.#unfinishedLine.length > MAX_LINE_BYTES) throw new MalformedReplyError('a reply line that is too long');
  }

  #takeLine(line: string): void {
    const code = readReplyCode(line);
    if (code === 0) throw new MalformedReplyError('something that is not an SMTP reply');
    if (this.#lines > 0 && code !== this.#code) throw new MalformedReplyError('a reply with two different codes');
    this.#code = code;
    this.#text = this.#lines === 0 ? line.slice(4) : `${this.#text}\n${line.slice(4)}`;
    this.#lines += 1;
    if (this.#lines > MAX_REPLY_LINES || this.#text.length > MAX_REPLY_BYTES || line.length > MAX_LINE_BYTES) {
      throw new MalformedReplyError('a reply that is too long');
    }
    if (line.charCodeAt(3) !== HYPHEN) this.#finishReply();
  }

  #finishReply(): void {
    const text = this.#text;
    this.#text = '';
    this.#lines = 0;
    this.#onReply(this.#code, text);
  }
}

/** The code of a reply line, or 0 if it has none: three digits from 200 to 599, then a space, a hyphen or the end. */
function readReplyCode(line: string): number {
  const hundreds = line.charCodeAt(0) - ZERO;
  const tens = line.charCodeAt(1) - ZERO;
  const ones = line.charCodeAt(2) - ZERO;
  if (!(hundreds >= 2 && hundreds <= 5 && tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9)) return 0;
  const separator = line.length === 3 ? SPACE : line.charCodeAt(3);
  return separator === SPACE || separator === HYPHEN ? hundreds * 100 + tens * 10 + ones : 0;
}

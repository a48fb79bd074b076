/** The message contains a CR or LF that is not part of a CRLF. Receivers disagree about what such a character ends, so we never send it. */
export class BareLineEndingError extends Error {
  override readonly name = 'BareLineEndingError';
}

const LF = 10;
const CR = 13;
const DOT = 46;

/**
 * Doubles every dot at the start of a line (RFC 5321, section 4.5.2) in one pass. If there is no such dot, which is the
 * usual case, returns the same buffer.
 *
 * Throws BareLineEndingError.
 */
export function dotStuff(data: Buffer): Buffer {
  const dots = countLeadingDots(data);
  if (dots === 0) return data;
  const stuffed = Buffer.allocUnsafe(data.length + dots);
  let written = 0;
  let copied = 0;
  for (let at = data[0] === DOT ? 0 : nextLineDot(data, 0); at !== -1; at = nextLineDot(data, at)) {
    written += data.copy(stuffed, written, copied, at);
    stuffed[written] = DOT;
    written += 1;
    copied = at;
  }
  data.copy(stuffed, written, copied);
  return stuffed;
}

/** The end of the data. The final dot needs its own line, so a message that does not end in CRLF gets one. */
export function endOfData(data: Buffer): '.\r\n' | '\r\n.\r\n' {
  return data.length === 0 || data[data.length - 1] === LF ? '.\r\n' : '\r\n.\r\n';
}

function countLeadingDots(data: Buffer): number {
  const length = data.length;
  let dots = length > 0 && data[0] === DOT ? 1 : 0;
  for (let at = 0; at < length; at += 1) {
    // Nearly every byte is greater than CR, so the loop usually needs only one comparison.
    const byte = data[at] ?? 0;
    if (byte > CR) continue;
    if (byte === LF) throw new BareLineEndingError('The message has a line feed without a carriage return before it.');
    if (byte === CR) {
      at += 1;
      if (data[at] !== LF) {
        throw new BareLineEndingError('The message has a carriage return without a line feed after it.');
      }
      if (data[at + 1] === DOT) dots += 1;
    }
  }
  return dots;
}

/** The position of the next dot that starts a line after `from`, or -1. */
function nextLineDot(data: Buffer, from: number): number {
  const at = data.indexOf('\r\n.', from, 'latin1');
  return at === -1 ? -1 : at + 2;
}

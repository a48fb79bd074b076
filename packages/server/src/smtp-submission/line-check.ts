/** Checks a message, chunk by chunk, for bytes that two mail servers may interpret differently. */
export interface LineCheck {
  /** A description of the first such byte in the chunk; null if there is none. */
  look(chunk: Buffer): string | null;
  /** Call this at the end. */
  finish(): string | null;
}

const CR = 0x0d;
const LF = 0x0a;

/**
 * Finds what RFC 5321 §2.3.8 and §4.1.1.4 forbid in a message: LF without CR, CR without LF, NUL. A server that accepts
 * a bare LF as a line ending may find the end of a message where another finds text, and then sees a second,
 * unauthenticated message (SMTP smuggling).
 */
export function createLineCheck(): LineCheck {
  let endedInCr = false;
  return {
    look(chunk) {
      if (chunk.length === 0) return null;
      if (chunk.includes(0)) return 'NUL';
      if (endedInCr && chunk[0] !== LF) return 'bare CR';
      for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, at + 1)) {
        if (at === 0 ? !endedInCr : chunk[at - 1] !== CR) return 'bare LF';
      }
      const last = chunk.length - 1;
      for (let at = chunk.indexOf(CR); at !== -1 && at < last; at = chunk.indexOf(CR, at + 1)) {
        if (chunk[at + 1] !== LF) return 'bare CR';
      }
      endedInCr = chunk[last] === CR;
      return null;
    },
    finish: () => (endedInCr ? 'bare CR' : null),
  };
}

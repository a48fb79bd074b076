import { isUtf8 } from 'node:buffer';
import { LIMITS } from '@postrider/core';
import { ProblemError } from '../problem.ts';

/** No request needs more than three levels; much deeper ones only exist to exhaust a parser or a tree walk. */
const MAX_DEPTH = LIMITS.jsonDepth;

/**
 * Parses a JSON body: UTF-8 (a BOM is tolerated), one value, bounded depth.
 * @throws ProblemError `invalid_json`
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) throw invalid('The body is empty.');
  const text = decode(bytes);
  assertDepth(text);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid(error instanceof Error ? error.message : 'The body is not JSON.');
  }
}

function decode(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw invalid('The body is not valid UTF-8.');
  const text = bytes.toString('utf8');
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/**
 * Rejects a body in an unsupported encoding, instead of misreading it.
 * @throws ProblemError `unsupported_media_type`
 */
export function assertJsonEncoding(contentType: string | undefined, contentEncoding: string | undefined): void {
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(contentType ?? '')?.[1] ?? 'utf-8';
  if (!/^utf-?8$/i.test(charset)) {
    throw new ProblemError('unsupported_media_type', {
      detail: `The body is in ${charset}.`,
      fix: 'Send JSON in UTF-8, as RFC 8259 requires.',
    });
  }
  if (contentEncoding !== undefined && contentEncoding.trim().toLowerCase() !== 'identity') {
    throw new ProblemError('unsupported_media_type', {
      detail: `The body is compressed (Content-Encoding: ${contentEncoding.slice(0, 100)}).`,
      fix: 'Send the body uncompressed, without Content-Encoding.',
    });
  }
}

/** Counts brackets outside strings. JSON.parse itself accepts any depth, but code that walks its result does not. */
function assertDepth(text: string): void {
  if (!hasMoreThan(text, '[', '{', MAX_DEPTH)) return;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x22) i = endOfString(text, i);
    else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > MAX_DEPTH) throw invalid(`The body is nested deeper than ${MAX_DEPTH} levels.`);
    } else if (code === 0x7d || code === 0x5d) depth -= 1;
  }
}

/** Whether two characters together occur more often than `limit`. This clears nearly every body without a walk. */
function hasMoreThan(text: string, one: string, other: string, limit: number): boolean {
  let count = 0;
  for (const character of [one, other]) {
    for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) {
      count += 1;
      if (count > limit) return true;
    }
  }
  return false;
}

/** The closing quote of the string that opens at `start`; the end of the text if it is never closed. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === 0x5c) backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
  return text.length;
}

function invalid(detail: string): ProblemError {
  return new ProblemError('invalid_json', { detail });
}

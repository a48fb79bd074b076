import { LIMITS } from '@postrider/core';
import {
  CLOSE,
  COLON,
  COMMA,
  ENDS_IN_BACKSLASH,
  endOfLiteral,
  endOfString,
  kindOf,
  LITERAL,
  OPEN,
  STRING,
} from './json-bytes.ts';

/** Why a JSON body is rejected before it is parsed. */
export interface JsonFault {
  readonly code: 'invalid_json' | 'payload_too_large';
  readonly detail: string;
  readonly fix: string;
}

/** Measures the parsing cost of a JSON text from its bytes as they arrive, without building anything. */
export interface JsonCounter {
  /** The limit that the bytes so far exceed; null if they are within all of them. */
  look(chunk: Uint8Array): JsonFault | null;
}

/**
 * Shorter bodies are not counted, because they cannot exceed the limits of names and values: a member needs five bytes
 * with its quotes, colon, value and comma, and a value two with its comma.
 */
export const COUNTED_FROM_BYTES = Math.min(5 * LIMITS.jsonNames, 2 * LIMITS.jsonValues);

/** The bytes need not be JSON: the parser decides that later. Each byte is checked a bounded number of times. */
export function createJsonCounter(): JsonCounter {
  const state = { depth: 0, names: 0, values: 0, length: 0, isInString: false, isEscaped: false };

  function look(chunk: Uint8Array): JsonFault | null {
    if (chunk.length === 0) return null;
    // Local variables make this four times as fast as using the state object.
    let { depth, names, values, length, isInString } = state;
    let at = 0;
    if (state.isEscaped) {
      state.isEscaped = false;
      at = 1;
      length += 1;
    }
    while (at < chunk.length) {
      if (isInString) {
        const end = endOfString(chunk, at);
        isInString = end < 0;
        state.isEscaped = end === ENDS_IN_BACKSLASH;
        length += (end < 0 ? chunk.length : end) - at;
        if (length > LIMITS.jsonStringBytes) return FAULTS.string;
        at = end < 0 ? chunk.length : end;
        continue;
      }
      const kind = kindOf(chunk, at);
      if (kind === LITERAL) {
        const end = endOfLiteral(chunk, at);
        length += end - at;
        if (length > LIMITS.jsonNumberCharacters) return FAULTS.number;
        at = end;
        continue;
      }
      at += 1;
      length = 0;
      if (kind === STRING) isInString = true;
      else if (kind === COMMA) values += 1;
      else if (kind === COLON) names += 1;
      else if (kind === CLOSE) depth -= 1;
      else if (kind === OPEN) {
        values += 1;
        depth += 1;
        if (depth > LIMITS.jsonDepth) return FAULTS.depth;
      }
    }
    Object.assign(state, { depth, names, values, length, isInString });
    if (names > LIMITS.jsonNames) return FAULTS.names;
    return values > LIMITS.jsonValues ? FAULTS.values : null;
  }

  return { look };
}

const SPLIT = 'Split the request into several smaller ones.';
const FAULTS = {
  depth: {
    code: 'invalid_json',
    detail: `The body is nested deeper than ${LIMITS.jsonDepth} levels.`,
    fix: 'Send JSON with fewer levels of objects and arrays.',
  },
  names: {
    code: 'payload_too_large',
    detail: `The body has more than ${LIMITS.jsonNames} names in its JSON objects.`,
    fix: SPLIT,
  },
  values: {
    code: 'payload_too_large',
    detail: `The body has more than ${LIMITS.jsonValues} JSON values.`,
    fix: SPLIT,
  },
  string: {
    code: 'payload_too_large',
    // Only operations that send accept bodies that large, and no other field of a send may have as much as a tenth of it.
    detail: `The \`content\` of an attachment, or another string, is longer than ${LIMITS.jsonStringBytes} bytes. A whole message can have at most ${LIMITS.encodedMessageBytes / 1024 / 1024} MB, and base64 makes a file a third larger.`,
    fix: 'Send smaller attachments, or links to the files.',
  },
  number: {
    code: 'payload_too_large',
    detail: `A number in the body has more than ${LIMITS.jsonNumberCharacters} characters.`,
    fix: 'Send numbers with fewer digits.',
  },
} as const satisfies Readonly<Record<string, JsonFault>>;

import type { TransportResponse } from './transport.ts';

/** The body of a response: `data` is the parsed value if it is JSON, else the text, and null if it is empty. */
export interface DecodedBody {
  readonly isJson: boolean;
  readonly data: unknown;
}

/** Reads a body by its content type. Invalid JSON is returned as text. */
export function decodeBody({ headers, text }: TransportResponse): DecodedBody {
  if (text === '') return { isJson: false, data: null };
  if (!isJsonType(headers['content-type'] ?? '')) return { isJson: false, data: text };
  try {
    return { isJson: true, data: JSON.parse(text) };
  } catch {
    return { isJson: false, data: text };
  }
}

function isJsonType(contentType: string): boolean {
  return /^application\/(?:[a-z0-9.+-]+\+)?json(?:\s*;|\s*$)/i.test(contentType.trim());
}

import { z } from 'zod';
import { hasForbiddenCharacter } from './email-address.ts';

/**
 * Text for a mail header: no CR, LF, NUL or other control, no text-direction control. A line break in a header value could add
 * headers or recipients.
 */
export function headerText(minCharacters: number, maxCharacters: number) {
  return z
    .string()
    .min(minCharacters)
    .max(maxCharacters)
    .refine((value) => !hasForbiddenCharacter(value), {
      message: 'must not contain line breaks, control or text-direction characters',
      params: { code: 'forbidden_character' },
    })
    .refine((value) => minCharacters === 0 || value === '' || value.trim() !== '', BLANK);
}

/** Readers would see nothing, as of an empty value. */
export const BLANK = { message: 'must not consist of spaces alone', params: { code: 'too_short' } };

/** Body text, limited by its size in UTF-8, in which it is stored and sent. */
export function bodyText(minBytes: number, maxBytes: number) {
  return z
    .string()
    .min(minBytes)
    .refine((value) => value.length <= maxBytes / 3 || utf8Bytes(value) <= maxBytes, {
      message: `must be at most ${maxBytes} bytes in UTF-8`,
      params: { code: 'too_long' },
    });
}

/** Bytes of a string in UTF-8, counted without encoding it. Lone surrogates count as 3, as their replacement would. */
export function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x80) continue;
    if (code < 0x800) bytes += 1;
    else if (code >= 0xd800 && code < 0xdc00 && isLowSurrogate(text.charCodeAt(i + 1))) {
      bytes += 2;
      i += 1;
    } else bytes += 2;
  }
  return bytes;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000;
}

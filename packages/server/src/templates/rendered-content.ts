import { hasForbiddenCharacter } from '@postrider/core';

/**
 * Makes a rendered subject safe for a header. Line breaks and other controls become spaces, and direction controls are removed, so a
 * variable's value can neither end the header nor start another one.
 */
export function toSubjectLine(rendered: string): string {
  // The fast path: nearly every subject has none of these characters.
  const clean = hasForbiddenCharacter(rendered)
    ? rendered.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '').replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    : rendered;
  return clean.toWellFormed().trim();
}

/** Makes a rendered body storable in PostgreSQL: filters can split a surrogate pair, or decode a NUL. */
export function toBody(rendered: string): string {
  return rendered.toWellFormed().replaceAll('\u0000', '');
}

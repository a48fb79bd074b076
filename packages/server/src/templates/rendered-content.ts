import { hasForbiddenCharacter } from '@postrider/core';

/**
 * A rendered subject as a header can carry it: line breaks and other controls become spaces, and what changes the direction of text is left
 * out. So no value of a variable can end the header or begin another one.
 */
export function toSubjectLine(rendered: string): string {
  // Without these the line is clean already, which nearly every one is.
  const clean = hasForbiddenCharacter(rendered)
    ? rendered.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '').replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    : rendered;
  return clean.toWellFormed().trim();
}

/** A rendered body as a database can hold it: filters can cut a character in half, or decode a NUL. */
export function toBody(rendered: string): string {
  return rendered.toWellFormed().replaceAll('\u0000', '');
}

/** Digits with common separators. */
const CANDIDATE = /(?<!\d)[+(]{0,2}\d[\d ()./\u00a0\u2010-\u2015\u202f-]{5,40}\d/gu;
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
const DATE_OR_TIME = /\b(?:\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./](?:\d{4}|\d{2}))\b/g;
/** As in `900-555-0199`. */
const GROUPS = /(?:^|\D)\d{3}\D{1,2}\d{3}\D\d{4}(?:\D|$)/;

/**
 * The digits of text that looks like a telephone number: it starts with `+`, `00`, or a zero and groups of digits, or
 * has groups of three, three and four digits. Dates and ungrouped order numbers do not match. Linear in the length.
 */
export function telephoneNumbers(text: string): readonly string[] {
  const plain = text.normalize('NFKC').replace(INVISIBLE, '');
  return [...plain.matchAll(CANDIDATE)]
    .map(([found]) => found)
    .filter(isTelephone)
    .map(digitsOf);
}

function isTelephone(found: string): boolean {
  const rest = found.replace(DATE_OR_TIME, '').trim();
  const count = digitsOf(rest).length;
  if (count < 7 || count > 20) return false;
  return (
    rest.startsWith('+') ||
    /^\(?00[1-9]/.test(rest) ||
    (/^\(?\+?0/.test(rest) && /\d\D/.test(rest)) ||
    GROUPS.test(rest)
  );
}

function digitsOf(text: string): string {
  return text.replaceAll(/\D/g, '');
}

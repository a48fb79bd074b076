import { LIMITS } from '@postrider/core/limits';

/**
 * Whether a link may be tagged and tracked: an http or https URL that a browser can open, without template placeholders.
 * A finished URL never contains braces; editors that encode them write `%7B%7B`.
 */
export function isWebLink(url: string): boolean {
  return WEB.test(url) && url.length <= LIMITS.linkCharacters && !TEMPLATE_BRACE.test(url) && URL.canParse(url);
}

/** The start and end of the URL in an attribute's text: browsers ignore the surrounding white space (WHATWG URL §4.4). */
export function urlBounds(text: string): { readonly start: number; readonly end: number } {
  let start = 0;
  let end = text.length;
  while (start < end && text.charCodeAt(start) <= SPACE) start++;
  while (end > start && text.charCodeAt(end - 1) <= SPACE) end--;
  return { start, end };
}

/** The URL in an attribute's text as browsers read it: they also ignore line breaks and tabs in it. */
export function urlOf(text: string): string {
  const { start, end } = urlBounds(text);
  return text.slice(start, end).replace(/[\t\n\r]+/g, '');
}

const WEB = /^https?:\/\//i;
const TEMPLATE_BRACE = /[{}]|%7b%7b|%7b%25/i;
/** It and all lower control characters are stripped. */
const SPACE = 0x20;

import { LIMITS } from '@postrider/core/limits';

/** Whether a link may be tagged: an http or https URL that a browser can open once its template variables are filled in. */
export function isWebLink(url: string): boolean {
  return (
    WEB.test(url) &&
    url.length <= LIMITS.linkCharacters &&
    !UNSUBSCRIBE_VARIABLE.test(url) &&
    URL.canParse(maskVariables(url))
  );
}

/**
 * Whether a link may be rewritten for tracking: it must also have no template variables, because its address is stored before they are
 * filled in. A finished URL never contains braces; editors that encode them write `%7B%7B`.
 */
export function isTrackable(url: string): boolean {
  return isWebLink(url) && !TEMPLATE_BRACE.test(url);
}

/** The URL with each template variable replaced by as many letters, so that nothing in a variable is read as a part of the URL. */
export function maskVariables(url: string): string {
  return url.includes('{') ? url.replace(VARIABLE, (variable) => 'x'.repeat(variable.length)) : url;
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
/** `{{ name }}` and `{% tag %}`. */
const VARIABLE = /\{\{[^{}]*\}\}|\{%[^{}]*%\}/g;
/** Such a link leads to the unsubscribe link of its reader. */
const UNSUBSCRIBE_VARIABLE = /(?:\{\{|%7b%7b)[^{}%]*unsubscribe_url/i;
const TEMPLATE_BRACE = /[{}]|%7b%7b|%7b%25/i;
/** It and all lower control characters are stripped. */
const SPACE = 0x20;

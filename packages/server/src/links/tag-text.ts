import type { ProtectedLinks } from './protected-links.ts';
import { applyEdits, collectEdits, type TextEdit } from './text-edits.ts';
import { tagUrl, type UtmTags } from './utm-tags.ts';
import { isWebLink, maskVariables } from './web-link.ts';

/**
 * From the scheme to a character that cannot be in a URL, or to the end of Markdown's link text. A template variable is
 * included as a whole, with the spaces in it.
 */
const URL_IN_TEXT = /\bhttps?:\/\/(?:\{\{[^{}]*\}\}|\{%[^{}]*%\}|(?!\]\()[^\s<>"`])+/gi;
/** Punctuation that belongs to the sentence and not to the URL before it. */
const SENTENCE_END = /[.,;:!?'"*|\\\]}\u00bb\u2018-\u201f\u2026\u3001\u3002\uff01\uff09\uff0c\uff1a\uff1b\uff1f]/;

/** Plain text with the tags added to every http and https URL. Null if it would be longer than `maxCharacters`. */
export function tagText(
  text: string,
  tags: UtmTags,
  protectedLinks: ProtectedLinks,
  maxCharacters: number,
): string | null {
  const edits = collectEdits(text, editsOf(text, tags, protectedLinks), maxCharacters);
  return edits === null ? null : applyEdits(text, edits);
}

function* editsOf(text: string, tags: UtmTags, protectedLinks: ProtectedLinks): Generator<TextEdit> {
  for (const { 0: found, index } of text.matchAll(URL_IN_TEXT)) {
    const masked = maskVariables(found);
    if (masked.includes('{')) continue; // An incomplete variable; trimming might cut it in two.
    const url = found.slice(0, withoutSentence(masked).length);
    if (!isWebLink(url) || protectedLinks.has(url)) continue;
    yield { start: index, end: index + url.length, text: tagUrl(url, tags) };
  }
}

/** Ends before an unmatched closing parenthesis, and without trailing punctuation. */
function withoutSentence(found: string): string {
  let end = 0;
  for (let open = 0; end < found.length && open >= 0; end++) {
    const character = found.charAt(end);
    if (character === '(') open++;
    else if (character === ')' && --open < 0) break;
  }
  while (end > 0 && SENTENCE_END.test(found.charAt(end - 1))) end--;
  return found.slice(0, end);
}

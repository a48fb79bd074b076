import { decodeAttribute } from '@postrider/review';
import { type AttributeText, escapeAttribute, readAttributeText } from './attribute-text.ts';
import { type HtmlLink, scanHtml } from './html-scanner.ts';
import type { ProtectedLinks } from './protected-links.ts';
import { applyEdits, collectEdits, type TextEdit } from './text-edits.ts';
import { planUrlEdits, type UtmTags } from './utm-tags.ts';
import { isWebLink, urlBounds, urlOf } from './web-link.ts';

/**
 * The HTML with the tags added to every http and https link; every other byte is unchanged. Null if it would be longer
 * than `maxCharacters`.
 */
export function tagHtml(
  html: string,
  tags: UtmTags,
  protectedLinks: ProtectedLinks,
  maxCharacters: number,
): string | null {
  const edits = collectEdits(html, editsOf(html, tags, protectedLinks), maxCharacters);
  return edits === null ? null : applyEdits(html, edits);
}

/** Links that are marked as unsubscribe links, so that they stay unchanged in the text version as well. */
export function markedUnsubscribeUrls(html: string): readonly string[] {
  return scanHtml(html).links.flatMap((link) =>
    link.isUnsubscribe ? [urlOf(decodeAttribute(html.slice(link.start, link.end)))] : [],
  );
}

function* editsOf(html: string, tags: UtmTags, protectedLinks: ProtectedLinks): Generator<TextEdit> {
  for (const link of scanHtml(html).links) {
    if (link.isUnsubscribe) continue;
    const value = readAttributeText(html.slice(link.start, link.end));
    const url = urlOf(value.text);
    if (isWebLink(url) && !protectedLinks.has(url)) yield* editsOfLink(link, value, tags);
  }
}

function editsOfLink(link: HtmlLink, value: AttributeText, tags: UtmTags): readonly TextEdit[] {
  const bounds = urlBounds(value.text);
  return planUrlEdits(value.text.slice(bounds.start, bounds.end), tags).map(({ start, end, text }) => ({
    start: link.start + value.rawIndex(bounds.start + start),
    end: link.start + value.rawIndex(bounds.start + end),
    text: escapeAttribute(text),
  }));
}

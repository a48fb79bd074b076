import type { SendRequest } from '@postrider/core';
import { LIMITS } from '@postrider/core/limits';
import { readProtectedLinks } from '../../links/protected-links.ts';
import { markedUnsubscribeUrls, tagHtml } from '../../links/tag-html.ts';
import { tagText } from '../../links/tag-text.ts';
import { toUtmTags } from '../../links/utm-tags.ts';
import type { Refusal } from '../acceptance.ts';

export interface Bodies {
  readonly html: string | null;
  readonly text: string | null;
}

export type TaggedBodies =
  | (Bodies & { readonly ok: true })
  /** A body would exceed its size limit, because tags are many times as long as a short link. It stays unchanged. */
  | (Bodies & { readonly ok: false; readonly refusal: Refusal });

/** The bodies with UTM parameters on their links if the send asks for them; otherwise unchanged. */
export function tagLinks(
  { utm, headers = {} }: Pick<SendRequest, 'utm' | 'headers'>,
  { html, text }: Bodies,
): TaggedBodies {
  if (utm === undefined) return { ok: true, html, text };
  const tags = toUtmTags(utm);
  // A text beside HTML repeats its links, but cannot mark one as an unsubscribe link.
  const marked = html === null ? [] : markedUnsubscribeUrls(html);
  const tagged = {
    html: html === null ? null : tagHtml(html, tags, readProtectedLinks(headers), LIMITS.bodyBytes),
    text: text === null ? null : tagText(text, tags, readProtectedLinks(headers, marked), LIMITS.bodyBytes),
  };
  if (outgrew(html, tagged.html)) return { ok: false, html, text, refusal: tooLong('html') };
  if (outgrew(text, tagged.text)) return { ok: false, html, text, refusal: tooLong('text') };
  return { ok: true, ...tagged };
}

function outgrew(before: string | null, after: string | null): boolean {
  if (before === null || before === after) return false;
  return after === null || Buffer.byteLength(after) > LIMITS.bodyBytes;
}

function tooLong(path: 'html' | 'text'): Refusal {
  const message = `must be at most ${LIMITS.bodyBytes} bytes in UTF-8 after its links are tagged`;
  return {
    code: 'validation_failed',
    detail: `${path}: ${message}.`,
    fix: 'Send fewer links, shorter UTM values, or no `utm`.',
    errors: [{ path, code: 'too_long', message }],
  };
}

import { LIMITS } from '@postrider/core/limits';
import { decodeAttribute } from '@postrider/review';
import { escapeAttribute } from './attribute-text.ts';
import { type HtmlLink, scanHtml } from './html-scanner.ts';
import type { ProtectedLinks } from './protected-links.ts';
import { applyEdits } from './text-edits.ts';
import { isTrackable, urlOf } from './web-link.ts';

/** The tracking plan for a message. */
export interface Tracking {
  readonly openPixel: boolean;
  /** The links to rewrite, without duplicates, in HTML order; a tracking URL refers to one by its index. */
  readonly links: readonly string[];
}

/** The destinations of the tracking image and the rewritten links of one message. */
export interface TrackingUrls {
  readonly open: string;
  click(link: number): string;
}

/** Decides what to track in this HTML under the account's settings; null if nothing. */
export function planTracking(
  html: string,
  { opens, clicks }: { readonly opens: boolean; readonly clicks: boolean },
  protectedLinks: ProtectedLinks,
): Tracking | null {
  const urls = clicks ? scanHtml(html).links.map((link) => trackableUrl(html, link)) : [];
  const wanted = urls.filter((url): url is string => url !== null && isTrackable(url) && !protectedLinks.has(url));
  const links = [...new Set(wanted.slice(0, LIMITS.trackedLinksPerMessage))];
  return opens || links.length > 0 ? { openPixel: opens, links } : null;
}

/**
 * The HTML as delivered: planned links lead to their tracking URLs, and the image is at the end of the page. Every other
 * byte is unchanged, including links that were not planned.
 */
export function trackHtml(html: string, { openPixel, links }: Tracking, urls: TrackingUrls): string {
  const indexes = new Map(links.map((url, index) => [url, index]));
  const page = scanHtml(html);
  const found = page.links.flatMap((link) => {
    const index = indexes.get(trackableUrl(html, link) ?? '');
    return index === undefined ? [] : [{ start: link.start, end: link.end, index }];
  });
  const edits = found.slice(0, LIMITS.trackedLinksPerMessage).map(({ start, end, index }) => ({
    ...{ start, end },
    text: escapeAttribute(urls.click(index)),
  }));
  if (openPixel) edits.push({ start: page.pageEnd, end: page.pageEnd, text: imageOf(urls.open) });
  return (
    applyEdits(
      html,
      edits.sort((a, b) => a.start - b.start),
    ) ?? html
  );
}

/** The URL of a link that may be tracked; null for any other. */
function trackableUrl(html: string, link: HtmlLink): string | null {
  if (link.isUnsubscribe || link.isUntracked) return null;
  return urlOf(decodeAttribute(html.slice(link.start, link.end)));
}

/** Not `display:none`: some clients do not load hidden images. */
function imageOf(url: string): string {
  return `<img src="${escapeAttribute(url)}" width="1" height="1" alt="" style="border:0;width:1px;height:1px">`;
}

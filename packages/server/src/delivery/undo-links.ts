import { decodeAttribute } from '@postrider/review';
import type { Tracking } from '../links/track-html.ts';
import type { MessageUrls } from '../links/tracked-body.ts';
import { urlOf } from '../links/web-link.ts';

/** What delivery may put into a body. */
export interface AddedLinks {
  readonly tracking: { readonly plan: Tracking; readonly urls: MessageUrls } | null;
  /** As it is written in this body. Null if there is none. */
  readonly unsubscribeUrl: string | null;
}

const PLACEHOLDER = /^\{\{\s*unsubscribe_url\s*\}\}/;

/**
 * Whether a delivered body is the approved one, apart from the links that delivery adds: a tracking URL in the place of exactly the link
 * that it leads to, one tracking image, and the recipient's unsubscribe link in the place of its placeholder. It compares the two texts and
 * does not repeat the steps that added the links. Both have the same kind of line breaks.
 */
export function isSameBody(delivered: string, approved: string, { tracking, unsubscribeUrl }: AddedLinks): boolean {
  const clicks = new Map(tracking?.urls.clicks.map((url, index) => [url, tracking.plan.links[index] ?? null]));
  let isImageAllowed = tracking?.plan.openPixel === true;
  let [at, from] = [0, 0];
  for (const { url, start } of findAdded(delivered, { tracking, unsubscribeUrl })) {
    if (start < at) continue;
    const isImage = url === tracking?.urls.open;
    const image = isImage && isImageAllowed ? imageAround(delivered, start) : null;
    const next = image?.start ?? start;
    const same = delivered.slice(at, next);
    if (!approved.startsWith(same, from)) return false;
    from += same.length;
    if (image !== null) {
      isImageAllowed = false;
      at = image.end;
      continue;
    }
    at = next + url.length;
    const replaced = url === unsubscribeUrl ? placeholderAt(approved, from) : linkAt(approved, from, clicks.get(url));
    // The approved body may contain the same text, for example as a link of its own.
    if (replaced === null && !approved.startsWith(url, from)) return false;
    from += replaced ?? url.length;
  }
  return approved.slice(from) === delivered.slice(at);
}

/** Every place of a URL that delivery adds, in order. A page has up to a thousand tracking URLs, which begin with the same text. */
function findAdded(
  text: string,
  { tracking, unsubscribeUrl }: AddedLinks,
): readonly { readonly url: string; readonly start: number }[] {
  const [click = ''] = tracking?.urls.clicks ?? [];
  const starts = [click.slice(0, click.lastIndexOf('/') + 1), tracking?.urls.open ?? '', unsubscribeUrl ?? ''];
  const found = starts.flatMap((begin, kind) =>
    begin === ''
      ? []
      : findAll(text, begin).map((start) => ({
          start,
          url: kind === 0 ? `${begin}${tokenAt(text, start + begin.length)}` : begin,
        })),
  );
  return found.sort((a, b) => a.start - b.start || b.url.length - a.url.length);
}

function findAll(text: string, wanted: string): readonly number[] {
  const found: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) found.push(at);
  return found;
}

function tokenAt(text: string, at: number): string {
  return /^[\w-]*/.exec(text.slice(at, at + TOKEN_CHARACTERS))?.[0] ?? '';
}

/** More than a token has. */
const TOKEN_CHARACTERS = 200;

const IMAGE_START = '<img src="';
const IMAGE_END = '" width="1" height="1" alt="" style="border:0;width:1px;height:1px">';

/** The element of the tracking image around its URL; null if it is not exactly that. */
function imageAround(text: string, urlStart: number): { readonly start: number; readonly end: number } | null {
  const start = urlStart - IMAGE_START.length;
  const end = text.indexOf(IMAGE_END, urlStart);
  const isImage = start >= 0 && text.startsWith(IMAGE_START, start) && end !== -1;
  return isImage && !/[\s"]/.test(text.slice(urlStart, end)) ? { start, end: end + IMAGE_END.length } : null;
}

function placeholderAt(approved: string, at: number): number | null {
  return PLACEHOLDER.exec(approved.slice(at, at + PLACEHOLDER_CHARACTERS))?.[0].length ?? null;
}

/** More white space in the braces than anyone writes. */
const PLACEHOLDER_CHARACTERS = 1_000;

/** The length of the attribute's value that starts here, if it is the link that the tracking URL leads to. */
function linkAt(approved: string, at: number, target: string | null | undefined): number | null {
  if (target === null || target === undefined) return null;
  const quote = approved[at - 1];
  const end =
    quote === '"' || quote === "'"
      ? approved.indexOf(quote, at)
      : at + approved.slice(at, at + LINK_CHARACTERS).search(/[\s>]/);
  if (end < at) return null;
  return urlOf(decodeAttribute(approved.slice(at, end))) === target ? end - at : null;
}

/** Longer than a tracked link with every character escaped. */
const LINK_CHARACTERS = 100_000;

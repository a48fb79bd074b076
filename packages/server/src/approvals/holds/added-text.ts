import { htmlTexts } from '../../links/html-texts.ts';
import { findMessageHosts } from '../../links/link-hosts.ts';
import { isForeign, type OwnAddresses } from '../../links/mail-addresses.ts';
import { telephoneNumbers } from '../../links/telephone-numbers.ts';
import type { PrintedValues, TemplateSource } from '../../templates/template-job.ts';
import { isPlainPrinted } from './plain-value.ts';

/** What the variables of a send added to its template. */
export interface AddedText {
  /** Whether every added value is short and free of links, markup and telephone numbers. */
  readonly isPlain: boolean;
  /** Mail addresses that the template itself does not contain. */
  readonly addresses: readonly string[];
}

/** The maximum number of characters that the placeholders of one part may print in total. */
const PRINTED_CHARACTERS = 2_000;
/** The maximum number of added addresses; no legitimate message has more. */
const ADDRESSES = 100;

/**
 * Finds what a rendered template contains and its neutral rendering does not, whichever placeholders, lists and filters produced it. Linear
 * in the length; never throws.
 */
export function findAddedText(rendered: RenderedParts, { texts, hasList, neutral }: PrintedValues): AddedText {
  const parts = { subject: rendered.subject, html: rendered.html, text: rendered.text ?? null };
  const [found, own] = [hostsOf(parts), hostsOf(neutral)];
  const known = new Set(own.hosts);
  const isPlain =
    !hasList &&
    [texts.subject, texts.html, texts.text].every(arePlain) &&
    found.hosts.every((host) => known.has(host)) &&
    (!found.unreadable || own.unreadable) &&
    !hasMoreNumbers(parts, neutral);
  const ownAddresses = new Set(own.addresses);
  const addresses = found.addresses.filter((address) => !ownAddresses.has(address));
  return { isPlain: isPlain && addresses.length <= ADDRESSES, addresses: addresses.slice(0, ADDRESSES) };
}

/** Whether the added text makes a send free-form. Unknown text counts as free-form. */
export function addsFreeText(added: AddedText | undefined, ownAddresses: OwnAddresses): boolean {
  return added === undefined || !added.isPlain || added.addresses.some((address) => isForeign(address, ownAddresses));
}

interface RenderedParts {
  readonly subject: string;
  readonly html: string | null;
  /** Null or undefined if the text is derived from the HTML. */
  readonly text: string | null | undefined;
}

function arePlain(printed: readonly string[]): boolean {
  const characters = printed.reduce((sum, text) => sum + text.length, 0);
  return characters <= PRINTED_CHARACTERS && printed.every(isPlainPrinted);
}

function hostsOf({ subject, html, text }: TemplateSource) {
  return findMessageHosts({ html, text, lines: [subject ?? ''], headers: {} });
}

function hasMoreNumbers(parts: TemplateSource, neutral: TemplateSource): boolean {
  const own = numbersOf(neutral);
  return [...numbersOf(parts)].some((number) => !own.has(number));
}

/** Attributes count too, because `tel:` links contain numbers. */
function numbersOf({ subject, html, text }: TemplateSource): Set<string> {
  const shown = html === null ? [] : [html, ...htmlTexts(html).shown];
  return new Set([subject ?? '', text ?? '', ...shown].flatMap(telephoneNumbers));
}

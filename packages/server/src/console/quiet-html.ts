import { decodeAttribute, type HtmlToken, readHtmlTokens } from '@postrider/review';
import { threadJob } from '../threads/thread-job.ts';

/**
 * Rewrites untrusted HTML for a page that must make no requests: keeps only elements and attributes that fetch nothing. The frame's policy
 * blocks loading; this covers what no policy blocks (`dns-prefetch`, `preconnect`, lookups for link hosts) and elements that browsers add
 * in the future.
 */
export function toQuietHtml(html: string): string {
  const pieces = [PREAMBLE];
  for (const token of readHtmlTokens(html)) pieces.push(write(token));
  return pieces.join('');
}

export const QUIET_HTML = threadJob(import.meta.url, 'QUIET_HTML', toQuietHtml);

const PREAMBLE = '<!doctype html><style>a[title]{color:#0b5c94;text-decoration:underline}</style>';

const ELEMENTS = new Set(
  (
    'a abbr acronym address article aside b bdi bdo big blockquote body br caption center cite code col colgroup dd del details dfn dir div dl dt ' +
    'em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hgroup hr html i img ins kbd li main mark menu nav nobr ol p pre q rp rt ruby s ' +
    'samp section small span strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr'
  ).split(' '),
);

/**
 * Attributes whose values are words, numbers, colors or styles. URLs in styles are not loaded, because the policy allows
 * no source for them.
 */
const ATTRIBUTES = new Set(
  (
    'align alt bgcolor border cellpadding cellspacing class clear color colspan dir face height hspace id lang nowrap open role rowspan size span ' +
    'start style title type valign value vspace width'
  ).split(' '),
);

/** Images that are in the message itself. SVG is excluded: it is a document with its own elements. */
const EMBEDDED_PICTURE = /^data:image\/(?:png|gif|jpe?g|webp|avif|bmp|x-icon)[;,]/i;

function write(token: HtmlToken): string {
  switch (token.kind) {
    case 'text':
      return escapeText(token.text);
    case 'style':
      return `<style>${token.text}</style>`;
    case 'outlook':
      return '';
    case 'end':
      return ELEMENTS.has(token.name) && token.name !== 'body' && token.name !== 'html' ? `</${token.name}>` : '';
    case 'start':
      return ELEMENTS.has(token.name) ? `<${token.name}${writeAttributes(token)}>` : '';
  }
}

function writeAttributes({ name, attributes }: HtmlToken & { readonly kind: 'start' }): string {
  const target = name === 'a' ? attributes.get('href') : undefined;
  const written = [...attributes].flatMap(([attribute, value]) => {
    if (name === 'img' && attribute === 'src') return isEmbedded(value) ? [`src="${escapeValue(value)}"`] : [];
    if (attribute === 'title' && target !== undefined) return [];
    return ATTRIBUTES.has(attribute) ? [`${attribute}="${escapeValue(value)}"`] : [];
  });
  return [...(target === undefined ? [] : [`title="${escapeValue(target)}"`]), ...written]
    .map((text) => ` ${text}`)
    .join('');
}

function isEmbedded(value: string): boolean {
  return EMBEDDED_PICTURE.test(decodeAttribute(value).trim());
}

/** Character references stay unchanged in both: they are text, whatever they decode to. */
function escapeText(text: string): string {
  return text.replaceAll('<', '&lt;');
}

function escapeValue(value: string): string {
  return value.replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

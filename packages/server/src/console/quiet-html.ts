import { decodeAttribute, type HtmlToken, readHtmlTokens } from '@postrider/review';
import { threadJob } from '../threads/thread-job.ts';
import { createPlaceholders, type PlaceholderOf } from './picture-placeholder.ts';

/**
 * Rewrites untrusted HTML for a page that must make no requests: keeps only elements and attributes that fetch nothing. The frame's policy
 * blocks loading; this covers what no policy blocks (`dns-prefetch`, `preconnect`, lookups for link hosts) and elements that browsers add
 * in the future.
 */
export function toQuietHtml(html: string, pictures: Pictures = ONLY_EMBEDDED): string {
  const pieces = [PREAMBLE];
  const isKept = limitDepth();
  const placeholderOf = createPlaceholders();
  for (const token of readHtmlTokens(html)) if (isKept(token)) pieces.push(write(token, pictures, placeholderOf));
  return pieces.join('');
}

/** Chromium crashes on thousands of nested tables. Real mail nests a few dozen elements, and parsers stop at 512. */
const DEPTH_MAX = 400;
/** Elements without an end tag, and those that browsers end at the next one of their kind: however many follow each other, none is deeper. */
const NOT_NESTED = new Set(
  (
    'br col hr img input wbr html body a button caption colgroup dd dt form h1 h2 h3 h4 h5 h6 li nobr optgroup option p rp rt select tbody td ' +
    'textarea tfoot th thead tr'
  ).split(' '),
);

/** Leaves out the tags of elements that are nested too deeply. Their content stays, less styled. */
function limitDepth(): (token: HtmlToken) => boolean {
  const [open, left] = [new Map<string, number>(), new Map<string, number>()];
  let depth = 0;
  const add = (counts: Map<string, number>, name: string, change: number) =>
    counts.set(name, (counts.get(name) ?? 0) + change);
  return (token) => {
    if (token.kind === 'start' && ELEMENTS.has(token.name) && !NOT_NESTED.has(token.name)) {
      const isKept = depth < DEPTH_MAX;
      add(isKept ? open : left, token.name, 1);
      if (isKept) depth += 1;
      return isKept;
    }
    if (token.kind !== 'end') return true;
    if ((left.get(token.name) ?? 0) > 0) {
      add(left, token.name, -1);
      return false;
    }
    if ((open.get(token.name) ?? 0) > 0) {
      add(open, token.name, -1);
      depth -= 1;
    }
    return true;
  };
}

/** Which pictures besides those in the HTML itself are shown. */
export interface Pictures {
  /** Whether pictures of other servers keep their address. The frame's policy must allow them too. */
  readonly areRemote: boolean;
  /** Attached pictures as `data:` URLs, by the content id that the HTML names them with. */
  readonly attached: ReadonlyMap<string, string>;
}

const ONLY_EMBEDDED: Pictures = { areRemote: false, attached: new Map() };

export const QUIET_HTML = threadJob(import.meta.url, 'QUIET_HTML', (html: string) => toQuietHtml(html));

/** The same with further pictures, for a reader who asked for them. */
export const QUIET_HTML_WITH = threadJob(
  import.meta.url,
  'QUIET_HTML_WITH',
  ({ html, pictures }: { readonly html: string; readonly pictures: Pictures }) => toQuietHtml(html, pictures),
);

const PREAMBLE = '<!doctype html>';

/**
 * Style rules of the sender can tell whether these attributes exist, so they are kept where the message has them. The first leads to the top
 * of the message itself. A picture that is not loaded has a placeholder.
 */
const INERT_TARGET = '#';

const ELEMENTS = new Set(
  (
    'a abbr acronym address article aside b bdi bdo big blockquote body br button caption center cite code col colgroup dd del details dfn dir div dl dt ' +
    'em fieldset figcaption figure font footer form h1 h2 h3 h4 h5 h6 header hgroup hr html i img input ins kbd label legend li main mark menu ' +
    'nav nobr ol optgroup option p pre q rp rt ruby s samp section select small span strike strong sub summary sup table tbody td textarea tfoot ' +
    'th thead time tr tt u ul var wbr'
  ).split(' '),
);

/**
 * Attributes whose values are words, numbers, colors or styles. URLs in styles are not loaded, because the policy allows
 * no source for them.
 */
const ATTRIBUTES = new Set(
  (
    'align alt bgcolor border cellpadding cellspacing checked class clear color cols colspan dir disabled face height hspace id lang multiple ' +
    'nowrap open placeholder readonly role rows rowspan selected size span start style title type valign value vspace width'
  ).split(' '),
);

/** Images that are in the message itself. SVG is excluded: it is a document with its own elements. */
const EMBEDDED_PICTURE = /^data:image\/(?:png|gif|jpe?g|webp|avif|bmp|x-icon)[;,]/i;

function write(token: HtmlToken, pictures: Pictures, placeholderOf: PlaceholderOf): string {
  switch (token.kind) {
    case 'text':
      return escapeText(token.text);
    case 'style':
      return `<style>${writeStyle(token.text)}</style>`;
    case 'outlook':
      return '';
    case 'end':
      return ELEMENTS.has(token.name) && token.name !== 'body' && token.name !== 'html' ? `</${token.name}>` : '';
    case 'start':
      return ELEMENTS.has(token.name) ? `<${token.name}${writeAttributes(token, pictures, placeholderOf)}>` : '';
  }
}

function writeAttributes(
  { name, attributes }: HtmlToken & { readonly kind: 'start' },
  pictures: Pictures,
  placeholderOf: PlaceholderOf,
): string {
  const target = name === 'a' ? attributes.get('href') : undefined;
  const written = [...attributes].flatMap(([attribute, value]) => {
    if (name === 'a' && attribute === 'href') return [`href="${INERT_TARGET}"`];
    if (name === 'img' && attribute === 'src')
      return [`src="${escapeValue(sourceOf(value, pictures) ?? placeholderOf(attributes))}"`];
    // A title that the sender chose could name another target.
    if (attribute === 'title' && target !== undefined) return [`title="${escapeValue(target)}"`];
    return ATTRIBUTES.has(attribute) ? [`${attribute}="${escapeValue(value)}"`] : [];
  });
  return written.map((text) => ` ${text}`).join('');
}

/** Within some elements, such as `select`, browsers parse a style as markup; styles need no `<` before a name. */
function writeStyle(text: string): string {
  return text.replaceAll('<!--', '').replaceAll(/<(?=[a-z/!?])/gi, '< ');
}

/** The source of a picture that may be shown, as written in an attribute; null for any other one. */
function sourceOf(value: string, { areRemote, attached }: Pictures): string | null {
  const source = decodeAttribute(value).trim();
  if (EMBEDDED_PICTURE.test(source)) return value;
  if (/^cid:/i.test(source)) return attached.get(source.slice('cid:'.length)) ?? null;
  return areRemote && /^https:\/\//i.test(source) ? value : null;
}

/** Character references stay unchanged in both: they are text, whatever they decode to. */
function escapeText(text: string): string {
  return text.replaceAll('<', '&lt;');
}

function escapeValue(value: string): string {
  return value.replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

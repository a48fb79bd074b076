import { urlHosts } from './text-hosts.ts';
import { type Host, hostsOfLink } from './url-host.ts';

/** Longer URLs are not read to their end, because the host is at the start. */
const URL_CHARACTERS = 300;

/**
 * Finds the destinations in style sheets and style attributes of an HTML text: every `url()` and `@import`, also in
 * comments, which some programs read. Linear in the length.
 */
export function cssHosts(html: string): readonly Host[] {
  const plain = html.includes('\\') ? [html, unescapeCss(html)] : [html];
  return plain.flatMap((css) => {
    const lower = css.toLowerCase();
    return [...hostsBehind(css, lower, 'url('), ...hostsBehind(css, lower, '@import')];
  });
}

/** The same for text that is certainly a style sheet, in which other functions accept URLs as strings: `image-set("…" 1x)`, `src("…")`. */
export function styleHosts(css: string): readonly Host[] {
  const plain = css.includes('\\') ? `${css} ${unescapeCss(css)}` : css;
  return [...cssHosts(css), ...urlHosts(plain.replaceAll(STRING_START, '$1https://'))];
}

const STRING_START = /(["'(]\s{0,20})[\\/]{2}/g;

function hostsBehind(css: string, lower: string, word: string): readonly Host[] {
  const hosts: Host[] = [];
  for (let at = lower.indexOf(word); at !== -1; at = lower.indexOf(word, at + word.length)) {
    const start = skipSpace(css, at + word.length);
    const quote = css[start];
    const isQuoted = quote === '"' || quote === "'";
    // `@import` without quotes is followed by `url(`, or loads nothing.
    if (word !== 'url(' && !isQuoted) continue;
    const text = css.slice(isQuoted ? start + 1 : start, start + URL_CHARACTERS);
    const end = text.search(isQuoted ? STRING_END : PLAIN_END);
    hosts.push(...hostsOfLink(end === -1 ? text : text.slice(0, end)));
  }
  return hosts;
}

const STRING_END = /["'\n]/;
const PLAIN_END = /[)"'<>]/;

/** The end of white space and comments. */
function skipSpace(css: string, from: number): number {
  let at = from;
  for (;;) {
    while (/\s/.test(css[at] ?? '')) at += 1;
    if (!css.startsWith('/*', at)) return at;
    const end = css.slice(at + 2, at + URL_CHARACTERS).indexOf('*/');
    if (end === -1) return at;
    at += 2 + end + 2;
  }
}

/** A backslash precedes a hexadecimal code point, or a literal character (CSS Syntax 3, section 4.3.7). */
export function unescapeCss(css: string): string {
  return css.replaceAll(
    /\\(?:([0-9a-f]{1,6})\s?|([^\n]))/gi,
    (_, hex: string | undefined, plain: string | undefined) => {
      if (hex === undefined) return plain ?? '';
      const code = Number.parseInt(hex, 16);
      return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : '\ufffd';
    },
  );
}

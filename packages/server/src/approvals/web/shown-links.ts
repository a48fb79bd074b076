import { readHtmlTokens } from '../../console/html-tokens.ts';
import { decodeAttribute } from '../../links/attribute-text.ts';

/** A link as the reader sees it, and its target. */
export interface ShownLink {
  /** The text to click; empty for an image. */
  readonly text: string;
  readonly target: string;
  /** The host that the text names, if the target is on another one. */
  readonly claimedHost: string | null;
}

const TEXT_CHARACTERS = 120;
/** The part of a link's text that is searched for a host name. It is long so that leading text cannot hide one. */
const READ_CHARACTERS = 10_000;
const TARGET_CHARACTERS = 500;
/**
 * No one would read a page with more links, and the hosts of all links are listed anyway. Honest links do not use up places of misleading
 * ones.
 */
const LINKS_MAX = 200;

/** The links of a message in order, once per text and target. */
export function readShownLinks(html: string): readonly ShownLink[] {
  const found = new Map<string, ShownLink>();
  let open: { readonly target: string; text: string } | null = null;
  for (const token of readHtmlTokens(html)) {
    if (token.kind === 'start' && token.name === 'a') {
      note(found, open);
      const href = token.attributes.get('href');
      open = href === undefined ? null : { target: decodeAttribute(href).trim().slice(0, TARGET_CHARACTERS), text: '' };
    } else if (token.kind === 'end' && token.name === 'a') {
      note(found, open);
      open = null;
    } else if (token.kind === 'text' && open !== null && open.text.length < READ_CHARACTERS) {
      open.text += token.text.replaceAll(/\s+/g, ' ').slice(0, READ_CHARACTERS);
    }
  }
  note(found, open);
  return [...found.values()];
}

function note(found: Map<string, ShownLink>, link: { readonly target: string; readonly text: string } | null): void {
  if (link === null || link.target === '') return;
  const { target } = link;
  const whole = decodeAttribute(link.text).replaceAll(/\s+/g, ' ').trim();
  const claimedHost = findClaim(whole, target);
  if (found.size >= LINKS_MAX * (claimedHost === null ? 1 : 2)) return;
  const text = whole.slice(0, TEXT_CHARACTERS);
  found.set(`${text}\n${target}`, { text, target, claimedHost });
}

/** The first name with a dot, as in `acme.example`, `https://acme.example/pay` or `ada@acme.example`; null if there is none. */
function findNamedHost(text: string): string | null {
  const words = text.toLowerCase().split(/[^\p{L}\p{N}.-]/u);
  const names = words.map((word) => word.replace(/^\.|\.$/g, ''));
  return names.find((name) => name.includes('.') && name.split('.').every(isLabel) && TOP_LEVEL.test(name)) ?? null;
}

function isLabel(label: string): boolean {
  return label !== '' && label.length <= 63;
}

/** Excludes version numbers such as 1.2.3. */
const TOP_LEVEL = /\.\p{L}{2,24}$/u;

/**
 * Returns the host that a link's text names if the link leads to another host, else null. The text `acme.example` is honest for a link to
 * `acme.example` or `www.acme.example`.
 */
function findClaim(text: string, target: string): string | null {
  const named = findNamedHost(text);
  const host = hostOf(target);
  if (named === null || host === null) return null;
  const claimed = hostOf(`https://${named}/`) ?? named;
  return host === claimed || host.endsWith(`.${claimed}`) || claimed === `www.${host}` ? null : named;
}

function hostOf(target: string): string | null {
  const address = /^mailto:[^@?]*@([^?,;]+)/i.exec(target)?.[1];
  const url = URL.parse(address === undefined ? target.replace(/^\/\//, 'https://') : `https://${address}/`);
  return url === null || url.hostname === '' ? null : url.hostname;
}

import { readHtmlTokens } from '../../console/html-tokens.ts';
import { decodeAttribute } from '../../links/attribute-text.ts';

/** A link as its reader sees it, and where it leads. */
export interface ShownLink {
  /** What can be clicked; empty for a picture. */
  readonly text: string;
  readonly target: string;
  /** The host that the text names, if it leads to another one. */
  readonly claimedHost: string | null;
}

const TEXT_CHARACTERS = 120;
/** Of a link's text that is read for a claim: what comes before it must not hide it. */
const READ_CHARACTERS = 10_000;
const TARGET_CHARACTERS = 500;
/** A page with more of them would not be read; the hosts of all links are listed anyway. True links take no place of false ones. */
const LINKS_MAX = 200;

/** The links of a message in their order, one for each text and target. */
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

/** A name with a dot in it, as in `acme.example`, `https://acme.example/pay` or `ada@acme.example`; null where the text has none. */
function findNamedHost(text: string): string | null {
  const words = text.toLowerCase().split(/[^\p{L}\p{N}.-]/u);
  const names = words.map((word) => word.replace(/^\.|\.$/g, ''));
  return names.find((name) => name.includes('.') && name.split('.').every(isLabel) && TOP_LEVEL.test(name)) ?? null;
}

function isLabel(label: string): boolean {
  return label !== '' && label.length <= 63;
}

/** Version 1.2.3 is no host. */
const TOP_LEVEL = /\.\p{L}{2,24}$/u;

/** `acme.example` in the text of a link to `acme.example` or `www.acme.example` is true; of any other it is a claim. */
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

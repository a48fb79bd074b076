import { attributeHosts } from './attribute-hosts.ts';
import { cssHosts, styleHosts } from './css-hosts.ts';
import { headerHosts } from './header-hosts.ts';
import { htmlTexts } from './html-texts.ts';
import { joinedHosts } from './joined-hosts.ts';
import { enoughAddresses } from './mail-addresses.ts';
import { textHosts } from './text-hosts.ts';
import type { Host } from './url-host.ts';

/** The destinations of the links in a message. */
export interface LinkHosts {
  /** A-labels in lowercase, without duplicates. */
  readonly hosts: readonly string[];
  /** The mail addresses that a reader may write to, in lowercase, without duplicates. Some may be the recipients' own. */
  readonly addresses: readonly string[];
  /** Whether there are links with an uncertain destination. */
  readonly unreadable: boolean;
}

/** If something was not read, the approval rules that need it hold the message. */
export const UNREAD_HOSTS: LinkHosts = { hosts: [], addresses: [], unreadable: true };

/** All parts of a message that a mail program may show or make clickable. */
export interface LinkedMessage {
  readonly html: string | null;
  readonly text: string | null;
  /** The subject and the display names. */
  readonly lines: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
}

/** The hosts that any part of this message can lead a reader to. */
export function findMessageHosts({ html, text, lines, headers }: LinkedMessage): LinkHosts {
  return findLinkHosts(html, [text], lines, headers);
}

/** The same, including additional lines such as display names. */
export function addLineHosts({ hosts, addresses, unreadable }: LinkHosts, lines: readonly string[]): LinkHosts {
  const more = findLinkHosts(null, [], lines);
  return {
    hosts: [...new Set([...hosts, ...more.hosts])],
    addresses: [...new Set([...addresses, ...more.addresses])],
    unreadable: unreadable || more.unreadable,
  };
}

/**
 * As many as a rule with a host list of this length needs for its verdict: among one more distinct host, there is one
 * that it does not list.
 */
export function enoughHosts({ hosts, addresses, unreadable }: LinkHosts, listed: number): LinkHosts {
  return { hosts: hosts.slice(0, listed + 1), addresses: enoughAddresses(addresses, listed), unreadable };
}

/**
 * The hosts that a reader of this message can be led to, and those that are contacted when it is shown. It errs on the side of too many:
 * links in comments and names that mail programs link by themselves count. Linear in the length. Never throws. Decision record 18 has
 * the table.
 * @param texts what is read as plain text
 * @param lines the subject, display names
 * @param headers those that mail programs show as a button, such as List-Unsubscribe, are read as URLs, the others as text
 */
export function findLinkHosts(
  html: string | null,
  texts: readonly (string | null)[],
  lines: readonly string[] = [],
  headers: Readonly<Record<string, string>> = {},
): LinkHosts {
  const { shown, pieces, scripts, styles } = htmlTexts(html ?? '');
  const found = new Set<Host>();
  const add = (hosts: readonly Host[]) => {
    for (const host of hosts) found.add(host);
  };
  add(attributeHosts(html ?? ''));
  add(cssHosts(html ?? ''));
  for (const style of styles) add(styleHosts(style));
  for (const text of new Set([...texts, ...shown])) add(textHosts(text ?? ''));
  for (const texts of pieces) add(joinedHosts(texts));
  for (const script of scripts) {
    const read = new Set([script.replaceAll('\\/', '/'), withoutEscapes(script)]);
    for (const text of read) add(textHosts(text).filter((host) => host !== VOCABULARY));
  }
  for (const line of lines) add(textHosts(line));
  for (const [name, value] of Object.entries(headers)) add(headerHosts(name, value));
  const unreadable = found.delete(null);
  const known = [...found].filter((host) => host !== null);
  const isAddress = (host: string) => host.includes('@');
  return { hosts: known.filter((host) => !isAddress(host)), addresses: known.filter(isAddress), unreadable };
}

const ESCAPE = /\\(?:u([0-9a-f]{4})|([^u]))/gis;

/** JSON as programs read it: every character may be escaped by its number, and slashes also by a backslash. */
function withoutEscapes(script: string): string {
  return script.replace(ESCAPE, (_, number?: string, other?: string) =>
    number === undefined ? (other ?? '') : String.fromCharCode(Number.parseInt(number, 16)),
  );
}

/** It names the types of Gmail's markup and is not a link. */
const VOCABULARY = 'schema.org';

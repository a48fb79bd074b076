import { decodeWords } from 'postal-mime';
import { lineHosts, textHosts } from './text-hosts.ts';
import { type Host, hostsOfLink } from './url-host.ts';

/** Headers whose URLs mail programs offer to open: RFC 2369, RFC 5064. */
const LINK_HEADERS = new Set([
  ...['list-unsubscribe', 'list-help', 'list-subscribe', 'list-post', 'list-owner', 'list-archive', 'archived-at'],
]);
/** Headers in which angle brackets contain ids, which look like addresses and hosts. List-Id (RFC 2919) is the id of a list. */
const ID_HEADERS = new Set(['in-reply-to', 'references', 'list-id', 'x-entity-ref-id']);
const ID = /<[^<>\s]{1,300}>/g;
/** Where replies, receipts and errors are sent: `Reply-To`, `Disposition-Notification-To`, `Mail-Followup-To` and others. */
const MAILBOXES = /(?:^|-)(?:to|cc|bcc)$/;

/** The hosts and mail addresses of a custom header. They all count, whatever the header's name, because programs support many. */
export function headerHosts(name: string, value: string): readonly Host[] {
  const key = name.toLowerCase();
  const hosts = hostsIn(key, value);
  // Programs that decode encoded words in forbidden places see another address.
  if (!value.includes('=?')) return hosts;
  return [...hosts, ...hostsIn(key, decodeWords(value))];
}

function hostsIn(key: string, value: string): readonly Host[] {
  if (LINK_HEADERS.has(key)) return linksIn(value);
  if (ID_HEADERS.has(key)) return [...lineHosts(value), ...textHosts(value.replaceAll(ID, ' '))];
  return MAILBOXES.test(key) ? mailboxesIn(value) : textHosts(value);
}

/** Text between angle brackets is a URL, and spaces in it are removed (RFC 2369, section 2). */
function linksIn(value: string): readonly Host[] {
  return value.split('<').flatMap((part, index) => {
    if (index === 0) return textHosts(part);
    const end = part.indexOf('>');
    const url = (end === -1 ? part : part.slice(0, end)).replaceAll(/\s/g, '');
    return [...hostsOfLink(url), ...textHosts(end === -1 ? '' : part.slice(end))];
  });
}

const QUOTED = /"[^"\\]*"/g;
/**
 * Without comments, spaces around the `@`, groups and routes through other hosts (`a%b.example@c.example`): programs
 * interpret these differently.
 */
const PLAIN_MAILBOX = /^(?:[^<>@:;()"\\[\]]*<([^<>]*)>|([^<>\s]*))$/;
const PLAIN_ADDRESS = /^[a-z0-9#$&'*+/=?^_`{|}~.-]+@[\p{L}\p{N}\p{M}.-]+$/iu;

/** Null is included if it is uncertain which mailboxes the list contains. */
function mailboxesIn(value: string): readonly Host[] {
  const parts = value.replaceAll(QUOTED, ' ').split(',');
  const areCertain = parts.every((part) => part.trim() === '' || isCertain(part.trim()));
  return areCertain ? textHosts(value) : [...textHosts(value), null];
}

function isCertain(part: string): boolean {
  const [, bracketed, bare] = PLAIN_MAILBOX.exec(part) ?? [];
  const address = (bracketed ?? bare ?? '').trim();
  return PLAIN_ADDRESS.test(address) && textHosts(address).some((host) => host?.includes('@'));
}

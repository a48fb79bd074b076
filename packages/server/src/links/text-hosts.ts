import { toAsciiDomain } from '@postrider/core/email-address';
import { opensApp } from './app-schemes.ts';
import { bareHosts, trimmed } from './host-names.ts';
import { type Host, hostsOfUrl } from './url-host.ts';

/**
 * Invisible characters, including control characters: some programs remove them before they look for links, and others
 * end a link there.
 */
const IGNORABLE = /(?:\p{Default_Ignorable_Code_Point}|(?![\t\n\r])\p{Cc})+/gu;

/**
 * The destinations of links that mail programs create in plain text: URLs, host names, IPv4 addresses and mail
 * addresses. Linear in the length. Decision record 18 lists what each program does.
 */
export function textHosts(text: string): readonly Host[] {
  const hosts = read(text, isAnyName);
  return extendsOwnPlace(text) ? [...hosts, null] : hosts;
}

/** The placeholder for the recipient's own unsubscribe link, which the server replaces. */
const OWN_PLACE = /\{\{\s*unsubscribe_url\s*\}\}/g;
/** Characters that always end a link, or end its sentence. */
const PLACE_END = /^(?:[\s"<>`]|$|[)\]}.,;:!?'*|\u2019\u201d]{1,9}(?:[\s"<>`]|$))/;
const PLACE_END_CHARACTERS = 10;

/** Whether text directly after the placeholder would change the link: `{{unsubscribe_url}}/../pay` leads to any path on this server. */
function extendsOwnPlace(text: string): boolean {
  if (!text.includes('unsubscribe_url')) return false;
  return [...text.matchAll(OWN_PLACE)].some(({ 0: place, index }) => {
    const start = index + place.length;
    return !PLACE_END.test(text.slice(start, start + PLACE_END_CHARACTERS));
  });
}

/** The same for a header, in which a name counts only with a path or `www.`, and addresses are ids of messages and lists. */
export function lineHosts(text: string): readonly Host[] {
  return read(text, isPlainLink).filter((host) => host === null || !host.includes('@'));
}

/** The destinations of the URLs in a text, without names that have no scheme. */
export function urlHosts(text: string): readonly Host[] {
  return read(text, isNoName).filter((host) => host === null || !host.includes('@'));
}

type NameRule = (name: { readonly isService: boolean; readonly hasPath: boolean }) => boolean;
const isAnyName: NameRule = () => true;
const isPlainLink: NameRule = ({ isService, hasPath }) => isService || hasPath;
const isNoName: NameRule = () => false;

function read(text: string, counts: NameRule): readonly Host[] {
  const bare = text.replace(IGNORABLE, '');
  return bare.length === text.length ? scan(text, counts) : [...scan(text, counts), ...scan(bare, counts)];
}

function scan(text: string, counts: NameRule): readonly Host[] {
  const hosts: Host[] = [];
  let from = 0;
  for (const { start, end } of urlsIn(text)) {
    addNames(hosts, text.slice(from, start), counts);
    addUrl(hosts, text.slice(start, end), counts);
    from = end;
  }
  addNames(hosts, text.slice(from), counts);
  return hosts;
}

const URL_END = /[^\s<>"`]*/uy;
const SLASHES = /^[\\/]{2}/;
const SCHEME_CHARACTERS = 31;
const WEB_SCHEME = /^(?:https?|ftp)$/;

/** A URL has a scheme with two slashes, whatever the scheme. Browsers also open `https:host`. */
function* urlsIn(text: string): Generator<{ readonly start: number; readonly end: number }> {
  let from = 0;
  for (let colon = text.indexOf(':'); colon !== -1; colon = text.indexOf(':', Math.max(from, colon + 1))) {
    const scheme = schemeBefore(text, colon, from);
    if (scheme === '') continue;
    const hasSlashes = SLASHES.test(text.slice(colon + 1, colon + 3));
    if (!hasSlashes && !WEB_SCHEME.test(scheme) && !opensApp(scheme, text.slice(colon + 1, colon + 120))) continue;
    URL_END.lastIndex = colon + 1;
    const end = colon + 1 + (URL_END.exec(text)?.[0].length ?? 0);
    if (end === colon + (hasSlashes ? 3 : 1)) continue;
    yield { start: colon - scheme.length, end };
    from = end;
  }
}

/** In lowercase; empty if absent. */
function schemeBefore(text: string, colon: number, from: number): string {
  let start = colon;
  while (start > from && colon - start < SCHEME_CHARACTERS && isSchemeCharacter(text.charCodeAt(start - 1))) start -= 1;
  while (start < colon && !isLetter(text.charCodeAt(start))) start += 1;
  return text.slice(start, colon).toLowerCase();
}

function isLetter(code: number): boolean {
  return (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
}

/** Letters, digits, and `+`, `-`, `.` (RFC 3986, section 3.1). */
function isSchemeCharacter(code: number): boolean {
  return isLetter(code) || (code >= 0x30 && code <= 0x39) || code === 0x2b || code === 0x2d || code === 0x2e;
}

/** Punctuation of the sentence around a URL. */
const SENTENCE_END = /[)\]}.,;:!?'*|]{1,9}$/;
const AUTHORITY = /^[^:]*:[\\/]*[^\\/?#]*/;
/** Characters after a host at which some programs end a link and look for the next one. */
const LINK_END = /[^A-Za-z0-9\-._~:/?#@$&+=%]+/u;

function addUrl(hosts: Host[], url: string, counts: NameRule): void {
  const whole = url.replace(SENTENCE_END, '');
  hosts.push(...hostsOfUrl(whole));
  const behind = whole.slice(AUTHORITY.exec(whole)?.[0].length ?? 0);
  // No part can be split again, so this recursion is not deeper.
  for (const part of behind.split(LINK_END).slice(1)) for (const host of scan(part, counts)) hosts.push(host);
}

/** A path to a file on another computer, which Outlook links. */
const NETWORK_PATH = /(?<![^\s<("'])\\\\[^\\\s]{1,255}\\/;
/** Characters allowed in a name, a mail address or a path. */
const WORD = /[\p{L}\p{N}\p{M}\p{So}.\u3002\uff0e\uff61@/_-]+/gu;
const DOT = /[.\u3002\uff0e\uff61]/u;
/** Programs that only support ASCII link `evil.com` in `请访问evil.com谢谢`. */
const LATIN = /[\p{Script=Latin}\p{M}0-9.\u3002\uff0e\uff61@/_-]+/gu;

/** The same programs link `evil.com` if an accent follows it. */
const ASCII_START = /^[A-Za-z0-9.@/_-]+/;

function addNames(hosts: Host[], text: string, counts: NameRule): void {
  if (NETWORK_PATH.test(text)) hosts.push(null);
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (!DOT.test(word)) continue;
    const isFollowed = /^[?#:\\][\p{L}\p{N}/]/u.test(text.slice(index + word.length, index + word.length + 3));
    const place = { before: localPartBefore(text, index), isFollowed };
    addWord(hosts, word, place, counts);
    const latin = word.match(LATIN) ?? [];
    if (latin[0] !== word) for (const part of latin) addWord(hosts, part, place, counts);
    const [ascii = ''] = ASCII_START.exec(word) ?? [];
    if (ascii !== word && DOT.test(ascii)) addWord(hosts, ascii, place, counts);
  }
}

/** Characters that may precede a word in a mailbox name: `first+last@example.com` (RFC 5322, section 3.2.3). */
const LOCAL_CHARACTERS = 64;
const LOCAL_CHARACTER = /[a-z0-9!#$%&'*+=?^`{|}~._-]/i;

function localPartBefore(text: string, index: number): string {
  let start = index;
  while (index - start < LOCAL_CHARACTERS && LOCAL_CHARACTER.test(text[start - 1] ?? '')) start -= 1;
  return text.slice(start, index);
}

interface Place {
  /** Characters that a mailbox name can start with. */
  readonly before: string;
  /** Whether a path, a port or a query follows. */
  readonly isFollowed: boolean;
}

/** The first host of a word; the text after a slash is its path. An `@` there does not make it an address: `evil.com/@pay` is a link. */
function addWord(hosts: Host[], word: string, { before, isFollowed }: Place, counts: NameRule): void {
  const segments = word.split('/');
  for (const [index, segment] of segments.entries()) {
    const isLast = index === segments.length - 1;
    if (isLast && isAddress(segment)) {
      hosts.push(...addressesIn(index === 0 ? before + segment : segment));
      return;
    }
    const found = segment.split('@').flatMap((piece) => [...bareHosts(piece)]);
    for (const { host, isService } of found)
      if (counts({ isService, hasPath: !isLast || isFollowed })) hosts.push(host);
    if (found.length > 0) return;
  }
}

/** One `@`, and before it something that every program accepts as a mailbox name. */
function isAddress(segment: string): boolean {
  const at = segment.indexOf('@');
  if (at < 1 || segment.includes('@', at + 1)) return false;
  return /[a-z0-9_-]/i.test(segment[at - 1] ?? '') && !/^(?:www|ftp)\./i.test(segment);
}

/** Programs link an address whatever its top-level domain. */
function addressesIn(segment: string): readonly string[] {
  const at = segment.lastIndexOf('@');
  const [local, domain] = [segment.slice(0, at), segment.slice(at + 1)];
  const known = [...bareHosts(domain)].map(({ host }) => host);
  const whole = known.length > 0 ? null : toAsciiDomain(trimmed(domain));
  return [...known, ...(whole === null ? [] : [whole])].map((host) => `${local}@${host}`.toLowerCase());
}

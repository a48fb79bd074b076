import { LIMITS } from '../limits.ts';

/** One parsed mailbox: `address` is used for delivery (domain in lower case as A-labels, local part unchanged). */
export interface Mailbox {
  readonly name: string | null;
  readonly address: string;
  readonly local: string;
  readonly domain: string;
}

export type MailboxVerdict =
  | { readonly ok: true; readonly mailbox: Mailbox }
  | { readonly ok: false; readonly message: string };

/** An address, a comma or semicolon, and the beginning of another. */
const SEVERAL = /@[^@]*[,;]/;
const IS_SEVERAL = 'is more than one address';
/** RFC 5322 atext. Quoted local parts are rejected on purpose: they are never needed, and each could bypass an allowlist. */
const DOT_ATOM = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** A display name without quotes may contain any character that cannot end the name or start a second address. */
const FORBIDDEN_IN_BARE_NAME = /[<>",;:\\@[\]]/;

/**
 * Parses `a@b.c` or `Name <a@b.c>` strictly: one address, no comments, groups, routes, quoted local parts or IP literals. Lenient parsers
 * may find other recipients in a string than those that were checked, so ambiguous input is rejected.
 * @param ifSeveral what to do with several addresses in one string
 */
export function parseMailbox(given: string, ifSeveral = 'pass one address'): MailboxVerdict {
  if (given.length > LIMITS.mailboxCharacters) return refuse(`is longer than ${LIMITS.mailboxCharacters} characters`);
  if (hasForbiddenCharacter(given)) return refuse('contains a control or text-direction character');
  const text = given.trim();
  if (!text.endsWith('>')) {
    if (text.includes('<') && !SEVERAL.test(text)) return refuse('has a `<` without a `>` at its end');
    return parseAddress(text, null, ifSeveral);
  }
  const open = text.lastIndexOf('<');
  if (open < 0) return refuse('has a `>` without a `<`');
  const before = text.slice(0, open).trim();
  const name = parseName(before);
  if (!name.ok) return SEVERAL.test(before) ? refuse(`${IS_SEVERAL}; ${ifSeveral}`) : name;
  return parseAddress(text.slice(open + 1, -1), name.name, ifSeveral);
}

/** Formats a mailbox so that `parseMailbox` can read it: `a@b.c` or `Name <a@b.c>`, with quotes around the name if needed. */
export function formatMailbox({ name, address }: Pick<Mailbox, 'name' | 'address'>): string {
  if (name === null) return address;
  const shown = FORBIDDEN_IN_BARE_NAME.test(name) ? `"${name.replace(/(["\\])/g, '\\$1')}"` : name;
  return `${shown} <${address}>`;
}

/** Control characters could break a header line, and bidirectional controls could disguise a name. This applies to every header value. */
export function hasForbiddenCharacter(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code === 0x7f || isBidiControl(code)) return true;
    if (code > 0x7f && (code < 0xa0 || code === 0x2028 || code === 0x2029)) return true;
  }
  return false;
}

/** The form in which allowlists, suppressions and filters compare addresses: lower case. */
export function foldAddress(address: string): string {
  return address.toLowerCase();
}

/**
 * A domain name as A-labels in lower case; null if it is invalid. It must have at least two labels, no underscore, no trailing dot and no
 * all-digit last label, which would make it an IPv4 address.
 */
export function toAsciiDomain(domain: string): string | null {
  const ascii = isAscii(domain) ? domain.toLowerCase() : internationalToAscii(domain);
  if (ascii === null || ascii.length > 253) return null;
  const labels = ascii.split('.');
  if (labels.length < 2 || !labels.every((label) => LABEL.test(label))) return null;
  return /^\d+$/.test(labels.at(-1) ?? '') ? null : ascii;
}

/**
 * A part of an address as addresses are stored: its domain labels as A-labels. Null if it has only ASCII, and so is stored as it is, or
 * cannot be part of an address. A part of an internationalized label, such as `münch` of `münchen`, has another A-label and matches nothing.
 */
export function toStoredAddressPart(text: string): string | null {
  const labels = text.slice(text.lastIndexOf('@') + 1).split('.');
  const before = text.slice(0, text.lastIndexOf('@') + 1);
  if (isAscii(text) || !isAscii(before)) return null;
  const stored = labels.map((label) => (isAscii(label) ? label : toAsciiLabel(label)));
  return stored.includes(null) ? null : foldAddress(`${before}${stored.join('.')}`);
}

/** With a second label, no label is read as a number of an IPv4 address. */
function toAsciiLabel(label: string): string | null {
  return toAsciiDomain(`${label}.x`)?.slice(0, -2) ?? null;
}

function parseAddress(address: string, name: string | null, ifSeveral: string): MailboxVerdict {
  const at = address.lastIndexOf('@');
  if (at < 0) return refuse('has no `@`');
  const local = address.slice(0, at);
  if (local.length > LIMITS.localPartCharacters) {
    return refuse(`has more than ${LIMITS.localPartCharacters} characters before the \`@\``);
  }
  if (!isAscii(local)) return refuse('has characters outside ASCII before the `@`, which is not supported (SMTPUTF8)');
  if (SEVERAL.test(local)) return refuse(`${IS_SEVERAL}; ${ifSeveral}`);
  if (!DOT_ATOM.test(local)) return refuse('has no valid name before the `@`');
  const domain = toAsciiDomain(address.slice(at + 1));
  if (domain === null) return refuse('has no valid domain after the `@`');
  const wire = `${local}@${domain}`;
  if (wire.length > LIMITS.addressCharacters) return refuse(`is longer than ${LIMITS.addressCharacters} characters`);
  return { ok: true, mailbox: { name, address: wire, local, domain } };
}

function parseName(
  text: string,
): { readonly ok: true; readonly name: string | null } | { readonly ok: false; readonly message: string } {
  if (text === '') return { ok: true, name: null };
  if (text.startsWith('"')) return parseQuotedName(text);
  if (FORBIDDEN_IN_BARE_NAME.test(text)) {
    return refuse('has a display name with one of < > " , ; : \\ @ [ ]; put the name in double quotes');
  }
  return { ok: true, name: text };
}

function parseQuotedName(
  text: string,
): { readonly ok: true; readonly name: string | null } | { readonly ok: false; readonly message: string } {
  const match = /^"((?:[^"\\]|\\.)*)"$/u.exec(text);
  if (!match) return refuse('has a display name with unbalanced quotes');
  const name = (match[1] ?? '').replace(/\\(.)/gu, '$1').trim();
  return { ok: true, name: name === '' ? null : name };
}

function refuse(message: string): { readonly ok: false; readonly message: string } {
  return { ok: false, message };
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}

function isBidiControl(code: number): boolean {
  return (
    code === 0x061c ||
    code === 0x200e ||
    code === 0x200f ||
    (code >= 0x202a && code <= 0x202e) ||
    (code >= 0x2066 && code <= 0x2069)
  );
}

/** The platform's URL parser implements the full UTS #46 mapping. Names with URL delimiters never reach it. */
function internationalToAscii(domain: string): string | null {
  if (hasForbiddenCharacter(domain) || /[ %/?#@:[\]\\<>^|]/u.test(domain)) return null;
  const url = URL.parse(`http://${domain}/`);
  return url === null ? null : url.hostname;
}

import type { SendRequest } from '@postrider/core';
import { headerHosts } from './header-hosts.ts';
import { textHosts } from './text-hosts.ts';
import type { Host } from './url-host.ts';

/** What of the account may stand for the sender without a person looking at it. */
export interface VouchedSender {
  /** The account's name and the agent's name of the key; null where there is none. */
  readonly names: readonly (string | null)[];
  /** Verified domains, those of the question among them. */
  readonly domains: readonly string[];
}

/** Characters of one value of a template: a name, a number, a date. */
const VALUE_CHARACTERS = 100;
/** Of all values together, names of fields included. */
const ALL_CHARACTERS = 2_000;
/** Nesting of values; what is deeper holds. */
const DEPTH = 10;

/**
 * Whether the sender wrote more than values into a message whose body is another author's template. `freeformBody` promises that what
 * recipients read was written by the template's author: the subject, the sender's name and the headers too. Values are for names and
 * numbers, so a link (but a mail address), markup, a line break or a long text in one is free text.
 */
export function isFreeform(request: SendRequest, isResend: boolean, vouched: VouchedSender): boolean {
  const { from, reply_to: replyTo, subject, variables, headers, to, cc = [] } = request;
  // The values of a first send are not stored, and that send may have been held, rejected or another key's: a resend cannot be judged by them.
  if (isResend || subject !== undefined || !areValues(variables ?? {})) return true;
  const names = [from.name, replyTo?.name ?? null];
  return (
    names.some((name) => name !== null && !isVouched(name, vouched.names)) ||
    [...to, ...cc].some(({ name }) => name !== null && !isValue(name)) ||
    (replyTo !== undefined && replyTo.domain !== from.domain && !vouched.domains.includes(replyTo.domain)) ||
    Object.entries(headers ?? {}).some(([name, value]) => !isTechnical(name, value))
  );
}

function isVouched(name: string, names: VouchedSender['names']): boolean {
  return names.some((known) => known !== null && known.trim().toLowerCase() === name.trim().toLowerCase());
}

function areValues(variables: object): boolean {
  let characters = 0;
  const isPlain = (value: unknown, depth: number): boolean => {
    if (typeof value === 'string') {
      characters += value.length;
      return characters <= ALL_CHARACTERS && isValue(value);
    }
    if (typeof value !== 'object' || value === null) return true;
    if (depth === 0) return false;
    return Object.entries(value).every(([name, inner]) => isPlain(name, 0) && isPlain(inner, depth - 1));
  };
  return isPlain(variables, DEPTH);
}

/** Control characters, a line break among them, and the marks that begin markup. */
const NO_VALUE = /[\p{Cc}\u2028\u2029<>]/u;

function isValue(text: string): boolean {
  return text.length <= VALUE_CHARACTERS && !NO_VALUE.test(text) && !textHosts(text).some(isNoAddress);
}

function isNoAddress(host: Host): boolean {
  return host === null || !host.includes('@');
}

/** Headers that only programs read. A reply is put into a conversation by `In-Reply-To`, which says nothing by itself. */
const TECHNICAL = new Set([
  ...['in-reply-to', 'references', 'importance', 'priority', 'x-priority', 'precedence', 'auto-submitted'],
  ...['x-auto-response-suppress', 'x-entity-ref-id', 'feedback-id', 'list-unsubscribe-post'],
]);

function isTechnical(name: string, value: string): boolean {
  return TECHNICAL.has(name.toLowerCase()) && /^[\x20-\x7e]*$/.test(value) && headerHosts(name, value).length === 0;
}

import type { SendRequest } from '@postrider/core';
import { headerHosts } from '../../links/header-hosts.ts';
import { isPlainValue } from './plain-value.ts';

/** Names and domains of the account that may appear as the sender without review by a user. */
export interface VouchedSender {
  /** The account's name and the key's agent name; null if there is none. */
  readonly names: readonly (string | null)[];
  /** The verified domains of the account that a reply-to address may have. */
  readonly domains: readonly string[];
}

/** The maximum number of characters of all values together: about twenty short lines. */
const VALUES_CHARACTERS = 1_000;
/** The same limit with the field names included. */
const ALL_CHARACTERS = 2_000;
/** The maximum nesting of values; deeper values are free text. */
const DEPTH = 10;

/**
 * Whether the sender wrote more than values into a message whose body is another author's template. `freeformBody` promises that the
 * template's author wrote what recipients read, including the subject, the sender's name and the headers. Values are for names and numbers,
 * so a value with a link (except a mail address), markup, a line break or long text is free text.
 */
export function isFreeform(request: SendRequest, isResend: boolean, vouched: VouchedSender): boolean {
  const { from, reply_to: replyTo, subject, variables, headers, attachments = [], to, cc = [] } = request;
  // The values of the first send are not stored, and that send may have been held, rejected or another key's, so they cannot clear a
  // resend.
  if (isResend || subject !== undefined || attachments.length > 0 || !areValues(variables ?? {})) return true;
  const names = [from.name, replyTo?.name ?? null];
  return (
    names.some((name) => name !== null && !isVouched(name, vouched.names)) ||
    [from, replyTo].some((sender) => sender !== undefined && isMessage(sender.address)) ||
    [...to, ...cc].some(({ name }) => name !== null && !isPlainValue(name)) ||
    (replyTo !== undefined && replyTo.domain !== from.domain && !vouched.domains.includes(replyTo.domain)) ||
    Object.entries(headers ?? {}).some(([name, value]) => !isTechnical(name, value))
  );
}

function isVouched(name: string, names: VouchedSender['names']): boolean {
  return names.some((known) => known !== null && known.trim().toLowerCase() === name.trim().toLowerCase());
}

const MAILBOX_CHARACTERS = 30;
const MAILBOX_DIGITS = 6;

/** Mailbox names are short; `pay-now-call-1900-555-0199` is a message. Digits count wherever they appear. */
function isMessage(address: string): boolean {
  const name = address.slice(0, address.lastIndexOf('@'));
  return name.length > MAILBOX_CHARACTERS || name.replaceAll(/\D/g, '').length >= MAILBOX_DIGITS;
}

/** Limits the input of rendering, used or not. The rendered text has its own check. */
function areValues(variables: object): boolean {
  let [names, values] = [0, 0];
  const isPlain = (value: unknown, depth: number): boolean => {
    if (typeof value !== 'object' || value === null) {
      const text = String(value ?? '');
      values += text.length;
      return values <= VALUES_CHARACTERS && isPlainValue(text);
    }
    if (depth === 0) return false;
    return Object.entries(value).every(([name, inner]) => {
      names += Array.isArray(value) ? 0 : name.length;
      return names + values <= ALL_CHARACTERS && isPlainValue(name) && isPlain(inner, depth - 1);
    });
  };
  return isPlain(variables, DEPTH);
}

/** Headers that only programs read. `In-Reply-To` adds a reply to a conversation and carries no text of its own. */
const TECHNICAL = new Set([
  ...['in-reply-to', 'references', 'importance', 'priority', 'x-priority', 'precedence', 'auto-submitted'],
  ...['x-auto-response-suppress', 'x-entity-ref-id', 'feedback-id', 'list-unsubscribe-post'],
]);

function isTechnical(name: string, value: string): boolean {
  return TECHNICAL.has(name.toLowerCase()) && /^[\x20-\x7e]*$/.test(value) && headerHosts(name, value).length === 0;
}

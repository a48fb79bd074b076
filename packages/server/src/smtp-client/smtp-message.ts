import { isAscii } from 'node:buffer';
import type { SmtpCapabilities } from './smtp-capabilities.ts';
import { dotStuff, endOfData } from './smtp-dot-stuffing.ts';
import type { SmtpTrace } from './smtp-trace.ts';
import type { OutgoingMessage } from './transport.ts';

/** An address that could end its command and start another one. Our checks should have rejected it, so this indicates a bug upstream. */
export class UnsafeEnvelopeError extends Error {
  override readonly name = 'UnsafeEnvelopeError';
}

/** A checked message in its form on the wire, for any connection. */
export interface SmtpMessage {
  readonly mailFrom: string;
  readonly recipients: readonly string[];
  /** The value for the SIZE parameter: bytes before dot-stuffing (RFC 1870, section 5). */
  readonly bytes: number;
  /** Dot-stuffed, without the final dot. */
  readonly body: Buffer;
  /** The final dot, preceded by a line ending if the body does not end in one. */
  readonly end: '.\r\n' | '\r\n.\r\n';
  /** True when an address is not ASCII. Only a server with SMTPUTF8 (RFC 6531) accepts it. */
  readonly needsSmtpUtf8: boolean;
  readonly needsEightBitMime: boolean;
  /** Where the connection notes what it exchanges for this message. */
  readonly trace?: SmtpTrace;
}

/**
 * Checks a message and prepares it. Throws UnsafeEnvelopeError for an address with a control character, a space or an
 * angle bracket, and BareLineEndingError, so that neither can ever be written to a connection.
 */
export function prepareSmtpMessage(outgoing: Pick<OutgoingMessage, 'mailFrom' | 'recipients' | 'data'>): SmtpMessage {
  const { mailFrom, recipients, data } = outgoing;
  let ascii = checkAddress(mailFrom, 'return path');
  for (const recipient of recipients) {
    if (recipient === '') throw new UnsafeEnvelopeError('A recipient is empty.');
    ascii = checkAddress(recipient, 'recipient') && ascii;
  }
  return {
    mailFrom,
    recipients,
    bytes: data.length,
    body: dotStuff(data),
    end: endOfData(data),
    needsSmtpUtf8: !ascii,
    needsEightBitMime: !isAscii(data),
  };
}

export function mailCommand(message: SmtpMessage, capabilities: SmtpCapabilities): string {
  let command = `MAIL FROM:<${message.mailFrom}>`;
  if (capabilities.size) command += ` SIZE=${message.bytes}`;
  if (message.needsEightBitMime && capabilities.eightBitMime) command += ' BODY=8BITMIME';
  if (message.needsSmtpUtf8) command += ' SMTPUTF8';
  return `${command}\r\n`;
}

/**
 * Sends the original recipient to a server that can pass it on (RFC 3461, section 4.2): a report then names the address
 * we mailed, even behind an alias or a forward.
 */
export function recipientCommand(recipient: string, capabilities: SmtpCapabilities): string {
  const original = capabilities.dsn && isAsciiText(recipient) ? ` ORCPT=rfc822;${toXtext(recipient)}` : '';
  return `RCPT TO:<${recipient}>${original}\r\n`;
}

/** RFC 3461, section 4: encodes characters that would end the parameter or look like an encoded character. */
function toXtext(text: string): string {
  return text.replace(/[+=]/g, (character) => `+${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

function isAsciiText(text: string): boolean {
  return /^[\x21-\x7e]*$/.test(text);
}

// Printable ASCII except the angle brackets.
const SAFE_ASCII = /^[!-;=?-~]*$/;

// Controls of ASCII and of Unicode, white space of any kind, angle brackets, and lone surrogates, which have no UTF-8.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is to be found.
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\s<>]|\p{Surrogate}/u;

/** True for ASCII. Throws UnsafeEnvelopeError without repeating the address, which may contain anything. */
function checkAddress(address: string, what: string): boolean {
  if (SAFE_ASCII.test(address)) return true;
  if (UNSAFE.test(address)) {
    throw new UnsafeEnvelopeError(`The ${what} contains a character that is not allowed in an SMTP command.`);
  }
  return false;
}

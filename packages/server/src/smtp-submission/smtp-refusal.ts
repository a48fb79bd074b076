import { ERRORS, type ErrorCode, OPERATIONS, type Operation, renameOperations, writeCommand } from '@postrider/core';

/**
 * A rejection in the form that the SMTP library expects: the reply code, and the text with the enhanced status code (RFC
 * 3463) in front.
 */
export class SmtpRefusal extends Error {
  override readonly name = 'SmtpRefusal';
  readonly responseCode: number;
  /** Without the status code. */
  readonly text: string;
  /** From the error catalog; null if only SMTP has the case. */
  readonly code: ErrorCode | null;
  /** @param status enhanced status code, for example `5.7.1` */
  constructor(responseCode: number, status: string, text: string, code: ErrorCode | null = null) {
    super(`${status} ${toReplyText(text)}`);
    this.responseCode = responseCode;
    this.text = text;
    this.code = code;
  }
}

/** What is rejected: authentication, one recipient, or a whole message. */
export type RefusedStep = 'log-in' | 'sender' | 'recipient' | 'message';

/**
 * The refusal for an error of the catalog. The reply starts with the code, so that programs can distinguish the cases as over REST. The fix
 * follows if the reply has room for all of it: half a DNS record helps no one.
 */
export function refuseBy(code: ErrorCode, detail: string, step: RefusedStep, fix?: string): SmtpRefusal {
  const [responseCode, status] = replyCodesOf(code, step);
  const text = `${code}: ${detail}`;
  const withFix = fix === undefined ? text : `${text} ${nameCommands(fix)}`;
  const fits = `${status} ${withFix}`.length <= MAX_TEXT_CHARACTERS;
  return new SmtpRefusal(responseCode, status, fits ? withFix : text, code);
}

/** The text for a reader who has a mail program and no API: operations are named by their command. */
export function nameCommands(text: string): string {
  const operations: readonly Operation[] = OPERATIONS;
  return renameOperations(text, operations, ({ id, path, cli }, params) =>
    cli === null ? `the operation ${id} of the API` : `the command \`${writeCommand(cli.command, path, params)}\``,
  );
}

/** RFC 5321 §4.5.3.1.5: 512 bytes including the code and the line ending. */
const MAX_TEXT_CHARACTERS = 480;

/** Reply texts are ASCII (RFC 5321 §4.2). Other characters become a question mark. */
function toReplyText(text: string): string {
  const ascii = text
    .replaceAll('’', "'")
    .replaceAll('`', "'")
    .replace(/\s+/g, ' ')
    .replace(/[^\x20-\x7e]+/g, '?');
  return ascii.length > MAX_TEXT_CHARACTERS ? `${ascii.slice(0, MAX_TEXT_CHARACTERS - 3)}...` : ascii;
}

type ReplyCodes = readonly [responseCode: number, status: string];

function replyCodesOf(code: ErrorCode, step: RefusedStep): ReplyCodes {
  const { status, retryable } = ERRORS[code];
  if (step === 'log-in') return status >= 500 ? [454, '4.7.0'] : [535, '5.7.8'];
  if (status >= 500) return [451, '4.3.0'];
  if (retryable) return [451, status === 429 ? '4.7.1' : '4.3.0'];
  if (status === 401) return [530, '5.7.0'];
  if (code === 'attachment_too_large') return [552, '5.3.4'];
  return [step === 'message' ? 554 : 550, statusOf(code)];
}

/** RFC 3463: x.7.1 is about permission, x.1.1 about the mailbox, x.6.0 about the content. */
function statusOf(code: ErrorCode): string {
  if (code === 'recipient_suppressed') return '5.1.1';
  return ERRORS[code].status === 422 ? '5.6.0' : '5.7.1';
}

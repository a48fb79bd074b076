import { LIMITS } from '@postrider/core';
import type { ConversationLine, RawReply } from './exchange.ts';
import { toReplyLines } from './smtp-reply-text.ts';

/** A line of ours. Control characters cannot be in it: addresses are checked, and the rest is ours. */
export function toClientLine(command: string): ConversationLine {
  return `C ${command.length > LIMITS.conversationLineCharacters ? command.slice(0, LIMITS.conversationLineCharacters).toWellFormed() : command}`;
}

/** A reply, one line for each of its lines, without unsafe characters and without the secrets. */
export function toServerLines({ code, text }: RawReply, secrets: readonly string[]): ConversationLine[] {
  return toReplyLines(code, text, LIMITS.conversationLines, LIMITS.conversationLineCharacters).map(
    (line): ConversationLine => `S ${withoutSecrets(line, secrets)}`,
  );
}

/**
 * Pipelined commands (RFC 2920) are sent before their replies arrive. Replies come in the order of the commands, so each command is
 * shown with its reply.
 */
export function pairLines(
  commands: readonly string[],
  replies: readonly RawReply[],
  secrets: readonly string[],
): ConversationLine[] {
  const lines: ConversationLine[] = [];
  let next = 0;
  for (const command of commands) {
    lines.push(toClientLine(withoutSecrets(command, secrets)));
    const reply = replies[next];
    next += 1;
    if (reply !== undefined) lines.push(...toServerLines(reply, secrets));
  }
  for (const reply of replies.slice(next)) lines.push(...toServerLines(reply, secrets));
  return lines;
}

/** A long conversation without its middle: the beginning shows the connection, and the end decides the outcome. */
export function capLines(lines: readonly ConversationLine[]): readonly ConversationLine[] {
  const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
  if (lines.length <= LIMITS.conversationLines && bytes <= LIMITS.conversationBytes) return lines;
  const first = takeHalf(lines);
  const last = takeHalf(lines.slice(first.length).reverse()).reverse();
  const omitted = lines.length - first.length - last.length;
  return [...first, toClientLine(`(${omitted} lines omitted)`), ...last];
}

/** Replaces secrets, in either case of letters, by `***`. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  let shown = text;
  for (const secret of secrets) {
    const folded = shown.toLowerCase();
    // A few letters change their length with their case. Then no position in one text is known in the other.
    if (folded.length !== shown.length) return '***';
    const wanted = secret.toLowerCase();
    let from = 0;
    let kept = '';
    for (let at = folded.indexOf(wanted); at !== -1; at = folded.indexOf(wanted, from)) {
      kept += `${shown.slice(from, at)}***`;
      from = at + wanted.length;
    }
    if (from > 0) shown = kept + shown.slice(from);
  }
  return shown;
}

/** The note in place of the body, such as `(3,120 bytes of message)`. */
export function bodyLine(bytes: number): string {
  let text = '';
  let left = bytes;
  for (; left >= 1_000; left = Math.floor(left / 1_000)) text = `,${String(left % 1_000).padStart(3, '0')}${text}`;
  return `(${left}${text} bytes of message)`;
}

/** The lines from the start that fit into half of the limits; one line is left for the note. */
function takeHalf(lines: readonly ConversationLine[]): ConversationLine[] {
  const taken: ConversationLine[] = [];
  let bytes = 0;
  for (const line of lines) {
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > LIMITS.conversationBytes / 2 || taken.length >= LIMITS.conversationLines / 2 - 1) break;
    taken.push(line);
  }
  return taken;
}

import type { Message, MessageAttempt } from '@postrider/core';

/** One line for each attempt that was not accepted, the newest last, and below them the conversation of the newest. */
export function attemptRows(attempts: Message['attempts']): string[] {
  const unaccepted = attempts.filter(({ outcome }) => outcome !== 'accepted').slice(-ATTEMPTS);
  const last = unaccepted.findLast(({ conversation }) => conversation !== null);
  return [...unaccepted.map(attemptRow), ...(last === undefined ? [] : conversationRows(last))];
}

/** Enough to see what happens, and few enough for every read of a message to stay cheap. */
const ATTEMPTS = 3;
const LINES = 20;
const LINE_CHARACTERS = 200;

function attemptRow({ number, startedAt, outcome, transport, server, reply }: MessageAttempt): string {
  const where = server === null ? transport : `${server.host}:${server.port}`;
  return cut(`attempt ${number} ${startedAt} ${where} ${outcome}${reply === null ? '' : `: ${reply}`}`);
}

/** The end, which decides the outcome. */
function conversationRows({ conversation }: MessageAttempt): string[] {
  return (conversation ?? []).slice(-LINES).map(({ from, line }) => cut(`${from === 'client' ? 'C' : 'S'}: ${line}`));
}

function cut(line: string): string {
  return line.length <= LINE_CHARACTERS ? line : `${line.slice(0, LINE_CHARACTERS - 1).toWellFormed()}…`;
}

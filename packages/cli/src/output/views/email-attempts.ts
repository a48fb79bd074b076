import type { Message, MessageAttempt } from '@postrider/sdk';
import { isRecord, recordsOf, type Shown, textOf } from '../json-value.ts';
import { formatTime } from '../time.ts';
import { singleLine } from '../untrusted-text.ts';

/** Whose conversations are shown: of the newest attempt that was not accepted, or of all. */
export type Conversations = 'failure' | 'all';

/** A row for each delivery attempt: when, the outcome, and the rest, with the conversation below it if it is to be shown. */
export function attemptRows(message: Shown<Message>, conversations: Conversations): readonly (readonly string[])[] {
  const attempts = recordsOf<MessageAttempt>(message['attempts']);
  const failed = attempts.findLast(
    ({ outcome, conversation }) => outcome !== 'accepted' && Array.isArray(conversation),
  );
  return attempts.map((attempt) => {
    const text = (name: keyof MessageAttempt) => singleLine(textOf(attempt[name]));
    const said = conversations === 'all' || attempt === failed ? conversationLines(attempt) : [];
    return [formatTime(text('startedAt')), text('outcome'), [factsOf(attempt), ...said].join('\n')];
  });
}

const WITHOUT_SERVER: Readonly<Record<string, string>> = {
  capture: 'captured',
  sandbox: 'simulated',
  simulated: 'simulated',
};

function factsOf(attempt: Shown<MessageAttempt>): string {
  const text = (name: keyof MessageAttempt) => singleLine(textOf(attempt[name]));
  const transport = text('transport');
  const parts = [
    `#${text('number')}`,
    serverText(attempt['server']) || (WITHOUT_SERVER[transport] ?? transport),
    text('recipients'),
    tlsText(attempt),
    attempt['connectionReused'] === true ? 'reused connection' : '',
    `${text('durationMs')} ms`,
    text('reply'),
  ];
  return parts.filter((part) => part !== '').join('  ');
}

function serverText(server: unknown): string {
  if (!isRecord(server)) return '';
  const [host, address, port] = ['host', 'address', 'port'].map((name) => singleLine(textOf(server[name])));
  return address === '' || address === host ? `${host}:${port}` : `${host} [${address}]:${port}`;
}

function tlsText({ tls, conversation }: Shown<MessageAttempt>): string {
  if (isRecord(tls)) {
    const trust = tls['verified'] === true ? 'verified' : 'unverified';
    return `${singleLine(textOf(tls['protocol']))} (${trust})`;
  }
  return Array.isArray(conversation) ? 'no TLS' : '';
}

function conversationLines(attempt: Shown<MessageAttempt>): readonly string[] {
  return recordsOf<NonNullable<MessageAttempt['conversation']>[number]>(attempt['conversation']).map(
    ({ from, line }) => `${from === 'client' ? 'C' : 'S'}: ${singleLine(textOf(line))}`,
  );
}

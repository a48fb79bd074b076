import type { Message, MessageEvent, MessageRecipient } from '@postrider/sdk';
import { isRecord, recordsOf, type Shown, textOf } from '../json-value.ts';
import type { Output } from '../output.ts';
import type { Paint } from '../paint.ts';
import { type Page, renderBlock, renderBody, renderSheet, type SheetLine, withinBlock } from '../sheet.ts';
import { padToWidth, textWidth } from '../text-width.ts';
import { formatTime } from '../time.ts';
import { severalLines, singleLine } from '../untrusted-text.ts';
import { defineView, type RecordView } from '../view.ts';
import { hangText } from '../wrap-text.ts';
import { attemptRows, type Conversations } from './email-attempts.ts';

/** One message as a sheet: its details, recipients, events, delivery attempts and text. */
export function showEmail(message: Shown<Message>, output: Output): void {
  showSheet(message, output, 'failure');
}

/** The same with the conversation of every attempt. */
export function showEmailWithConversations(message: Shown<Message>, output: Output): void {
  showSheet(message, output, 'all');
}

function showSheet(message: Shown<Message>, output: Output, conversations: Conversations): void {
  const { paint } = output;
  const inner = withinBlock(output);
  output.writeText(
    [
      renderSheet(factLines(message, paint), output),
      renderBlock('Recipients', recipientRows(message, inner), output),
      renderBlock('Events', eventRows(message, inner), output),
      renderBlock('Attempts', alignRows(attemptRows(message, conversations), inner), output),
      renderBody('Text', severalLines(textOf(message['text'])), output),
    ].join(''),
  );
  const hidden = textOf(message['redacted']);
  if (hidden !== '') output.remark(`Fully or partly hidden: ${singleLine(hidden)}.`);
  if (message['contentRedacted'] === true)
    output.remark(
      'The content is hidden: it needs the scope emails:content for messages this key sent, and emails:content-all for others.',
    );
}

function factLines(message: Shown<Message>, paint: Paint): readonly SheetLine[] {
  const text = (name: keyof typeof message) => singleLine(textOf(message[name]));
  const time = (name: keyof Message) => formatTime(text(name));
  return [
    ['id', text('id')],
    ['status', paint.status(text('status'))],
    ['last error', paint.bad(severalLines(textOf(message['lastError'])).trimEnd())],
    ['from', text('from')],
    ['to', text('to')],
    ['cc', text('cc')],
    ['bcc', text('bcc')],
    ['reply to', text('replyTo')],
    ['subject', text('subject')],
    ['tags', text('tags')],
    ['sent by', sentBy(message)],
    ['key', keyText(message)],
    ['created', time('createdAt')],
    ['scheduled', time('scheduledAt')],
    ['template', text('template')],
    ['resend of', text('resendOf')],
    ['headers', mapText(message['headers'], ': ')],
    ['metadata', mapText(message['metadata'], '=')],
    ['attachments', attachmentsText(message)],
    ['html', htmlText(message)],
    ['body', message['bodyExpired'] === true ? 'removed' : keptText(time('bodyExpiresAt'))],
  ];
}

function sentBy(message: Shown<Message>): string {
  const parts = [message['agentName'], message['source'], message['channel']].map((part) => singleLine(textOf(part)));
  return parts.filter((part) => part !== '').join(', ');
}

/** A user’s mail has the id of the member, and no name. */
function keyText(message: Shown<Message>): string {
  const [name, id] = [message['keyName'], message['keyId']].map((part) => singleLine(textOf(part)));
  return name === '' ? (id ?? '') : `${name} (${id})`;
}

function mapText(map: unknown, separator: string): string {
  if (!isRecord(map)) return '';
  return singleLine(
    Object.entries(map)
      .map(([name, value]) => `${name}${separator}${textOf(value)}`)
      .join(', '),
  );
}

function attachmentsText(message: Shown<Message>): string {
  const files = recordsOf(message['attachments']);
  return singleLine(files.map((file) => `${textOf(file['filename'])} (${textOf(file['size'])} bytes)`).join(', '));
}

function htmlText(message: Shown<Message>): string {
  const html = message['html'];
  return typeof html === 'string' ? `${Buffer.byteLength(html).toLocaleString('en')} bytes, shown with --json` : '';
}

function keptText(time: string): string {
  return time === '' ? '' : `kept until ${time}`;
}

function recipientRows(message: Shown<Message>, page: Page): string {
  const rows = recordsOf<MessageRecipient>(message['recipients']).map((row) =>
    (['kind', 'status', 'email'] as const).map((name) => singleLine(textOf(row[name]))),
  );
  return alignRows(rows, page);
}

function eventRows(message: Shown<Message>, page: Page): string {
  const rows = recordsOf<MessageEvent>(message['events']).map((event) => [
    formatTime(singleLine(textOf(event['createdAt']))),
    singleLine(textOf(event['type'])),
    withReply(
      (['classification', 'recipient'] as const).map((name) => singleLine(textOf(event[name]))),
      event['detail'],
    ),
  ]);
  return alignRows(rows, page);
}

/** Facts with the reply of a mail server: a reply of several lines is shown as received, below the facts. */
export function withReply(facts: readonly string[], reply: unknown): string {
  const text = severalLines(textOf(reply)).trimEnd();
  const head = facts.filter((fact) => fact !== '').join('  ');
  return [head, text].filter((part) => part !== '').join(text.includes('\n') ? '\n' : '  ');
}

/** Aligned rows of cells, the second in the color of a status; the last cell wraps. */
function alignRows(rows: readonly (readonly string[])[], { paint, width }: Page): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => textWidth(row[column] ?? ''))));
  const lines = rows.flatMap((row) => {
    const cells = row.slice(0, -1).map((cell, column) => {
      const padded = padToWidth(cell, widths[column] ?? 0);
      return column === 1 ? paint.status(padded) : padded;
    });
    return hangText(cells.map((cell) => `${cell}  `).join(''), row.at(-1) ?? '', width);
  });
  return lines.map((line) => line.trimEnd()).join('\n');
}

/** The records of these views. */
export const VIEWS: readonly RecordView[] = [defineView(['Message'], showEmail)];

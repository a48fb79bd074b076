import type { Message, MessageEvent, MessageRecipient } from '@postrider/sdk';
import { isRecord, recordsOf, type Shown, textOf } from '../json-value.ts';
import type { Output } from '../output.ts';
import type { Paint } from '../paint.ts';
import { renderBlock, renderSheet, type SheetLine } from '../sheet.ts';
import { padToWidth, textWidth } from '../text-width.ts';
import { formatTime } from '../time.ts';
import { severalLines, singleLine } from '../untrusted-text.ts';
import { defineView, type RecordView } from '../view.ts';

/** One message as a sheet: what it is, whom it went to, what became of it, and its text. */
export function showEmail(message: Shown<Message>, output: Output): void {
  const { paint } = output;
  output.writeText(
    [
      renderSheet(factLines(message, paint), paint),
      renderBlock('Recipients', recipientRows(message, paint), paint),
      renderBlock('Trail', trailRows(message, paint), paint),
      renderBlock('Text', severalLines(textOf(message['text'])), paint),
    ].join(''),
  );
  const hidden = textOf(message['redacted']);
  if (hidden !== '') output.remark(`Hidden, or in part: ${singleLine(hidden)}.`);
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
    ['last error', paint.bad(text('lastError'))],
    ['from', text('from')],
    ['to', text('to')],
    ['cc', text('cc')],
    ['bcc', text('bcc')],
    ['reply to', text('replyTo')],
    ['subject', text('subject')],
    ['tags', text('tags')],
    ['sent by', sentBy(message)],
    ['created', time('createdAt')],
    ['scheduled', time('scheduledAt')],
    ['template', text('template')],
    ['resend of', text('resendOf')],
    ['headers', mapText(message['headers'], ': ')],
    ['metadata', mapText(message['metadata'], '=')],
    ['attachments', attachmentsText(message)],
    ['html', htmlText(message)],
    ['body kept', message['bodyExpired'] === true ? 'no, removed' : untilText(time('bodyExpiresAt'))],
  ];
}

function sentBy(message: Shown<Message>): string {
  const parts = [message['agentName'], message['source'], message['channel']].map((part) => singleLine(textOf(part)));
  return parts.filter((part) => part !== '').join(', ');
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

function untilText(time: string): string {
  return time === '' ? '' : `until ${time}`;
}

function recipientRows(message: Shown<Message>, paint: Paint): string {
  const rows = recordsOf<MessageRecipient>(message['recipients']).map((row) =>
    (['kind', 'status', 'email'] as const).map((name) => singleLine(textOf(row[name]))),
  );
  return alignRows(rows, 1, paint.status);
}

function trailRows(message: Shown<Message>, paint: Paint): string {
  const rows = recordsOf<MessageEvent>(message['events']).map((event) => [
    formatTime(singleLine(textOf(event['createdAt']))),
    singleLine(textOf(event['type'])),
    (['classification', 'recipient', 'detail'] as const)
      .map((name) => singleLine(textOf(event[name])))
      .filter((part) => part !== '')
      .join('  '),
  ]);
  return alignRows(rows, 1, paint.status);
}

/** Rows of cells under each other; the last cell keeps its length. */
function alignRows(rows: readonly (readonly string[])[], painted: number, paint: (text: string) => string): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => textWidth(row[column] ?? ''))));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => {
        const padded = column === row.length - 1 ? cell : padToWidth(cell, widths[column] ?? 0);
        return column === painted ? paint(padded) : padded;
      })
      .join('  ')
      .trimEnd(),
  );
  return lines.join('\n');
}

/** Which answers are shown so. */
export const VIEWS: readonly RecordView[] = [defineView(['Message'], showEmail)];

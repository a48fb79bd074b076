import { findOperation, type Message } from '@postrider/core';
import { UNTRUSTED_NOTE } from '../results.ts';
import { callingTool } from '../tool.ts';
import { describeHold, noteOf } from './approval-text.ts';
import { attemptRows } from './attempt-text.ts';
import { bodyRows, eventRows, labelRows, line, partRows, recipientRows, section } from './message-text.ts';

const operation = findOperation('emails.get');

/** A conversation costs many tokens, and is needed only if an attempt failed. */
type ShownEmail = Omit<Message, 'attempts'> & { readonly failedAttempts?: readonly string[] };

export const getEmailTool = callingTool(operation, {
  toRecord: toShown,
  // The output schema is open, and every connection pays for each field it names: these are the ones a caller branches on.
  shows: [
    'id',
    'from',
    'to',
    'subject',
    'status',
    'createdAt',
    'html',
    'text',
    'recipients',
    'scheduledAt',
    'lastError',
    'events',
  ],
  pagesBodies: true,
  structuredNotes: [UNTRUSTED_NOTE],
  toText: describeMessage,
});

function toShown({ attempts, ...message }: Message): ShownEmail {
  const failedAttempts = attemptRows(attempts);
  return failedAttempts.length === 0 ? message : { ...message, failedAttempts };
}

function describeMessage(message: ShownEmail, untrusted: (text: string) => string): string {
  return [
    `Message ${message.id}: ${message.status}`,
    `Created ${message.createdAt} over ${message.channel}, source ${message.source}`,
    ...line('Scheduled for', message.scheduledAt),
    ...line('Sends again', message.resendOf),
    ...(message.approval === null ? [] : describeHold(message.approval)),
    ...bodyState(message),
    ...line('Not shown to this key', message.redacted.join(', ')),
    untrusted([...fieldsOf(message), ...bodyRows(message)].join('\n')),
  ].join('\n');
}

function bodyState(message: ShownEmail): string[] {
  if (message.contentRedacted)
    return [
      'Content not shown: it needs the scope emails:content for messages this key sent, and emails:content-all for others.',
    ];
  if (message.bodyExpired) return ['Content not shown: the body is no longer stored.'];
  return line('Body stored until', message.bodyExpiresAt);
}

function fieldsOf(message: ShownEmail): string[] {
  return [
    ...noteOf(message.approval),
    ...line('From', message.from),
    ...line('To', message.to),
    ...line('Cc', message.cc.join(', ')),
    ...line('Bcc', message.bcc.join(', ')),
    ...line('Reply-To', message.replyTo),
    ...line('Subject', message.subject),
    ...labelRows(message),
    ...line('Key', message.keyName === null ? message.keyId : `${message.keyName} (${message.keyId})`),
    ...line('Last error', message.lastError),
    ...section('Recipients', recipientRows(message.recipients)),
    ...section('Events', eventRows(message.events)),
    ...section('Failed attempts', message.failedAttempts ?? []),
    ...partRows(message),
  ];
}

import { findOperation, type Message } from '@postrider/core';
import { present, refuse, UNTRUSTED_NOTE } from '../results.ts';
import type { SurfaceEntry } from '../surface.ts';
import { defineTool, placeGiven, type Tool } from '../tool.ts';
import { toolInputSchema, toolOutputSchema } from '../tool-schemas.ts';
import { BODY_OFFSET, isOffset, offsetProblem } from './body-offset.ts';
import { eventRows, line, recipientRows, section } from './message-text.ts';

const operation = findOperation('emails.get');

/** Reads a message; `body_offset` pages through bodies that are longer than one result shows. */
export function getEmailTool(entry: SurfaceEntry): Tool {
  return defineTool({
    entry,
    ...operation.mcp,
    input: toolInputSchema(entry, { body_offset: BODY_OFFSET }),
    output: toolOutputSchema(operation),
    run: async ({ body_offset: offset = 0, ...given }, { invoke, signal }) => {
      if (!isOffset(offset)) return refuse(offsetProblem());
      const placed = placeGiven(entry, given);
      if (!placed.ok) return refuse(placed.problem);
      const result = await invoke(operation.id, placed.input, { signal });
      if (!result.ok) return refuse(result.problem);
      return present({
        // The operation answers what it declares, over HTTP as in process.
        record: result.body as Message,
        bodyOffset: offset,
        structuredNotes: [UNTRUSTED_NOTE],
        toText: describeMessage,
      });
    },
  });
}

function describeMessage(message: Message, untrusted: (text: string) => string): string {
  return [
    `Message ${message.id}: ${message.status}`,
    `Created ${message.createdAt} over ${message.channel}, source ${message.source}`,
    ...line('Scheduled for', message.scheduledAt),
    ...line('Sends again', message.resendOf),
    ...bodyState(message),
    untrusted([...fieldsOf(message), ...bodiesOf(message)].join('\n')),
  ].join('\n');
}

function bodyState(message: Message): string[] {
  if (message.contentRedacted) return ['Content not shown: the key lacks the scope emails:content.'];
  if (message.bodyExpired) return ['Content not shown: the stored body has aged out.'];
  return line('Body kept until', message.bodyExpiresAt);
}

function fieldsOf(message: Message): string[] {
  return [
    ...line('From', message.from),
    ...line('To', message.to),
    ...line('Cc', message.cc.join(', ')),
    ...line('Bcc', message.bcc.join(', ')),
    ...line('Reply-To', message.replyTo),
    ...line('Subject', message.subject),
    ...line('Agent', message.agentName),
    ...line('Tags', message.tags.join(', ')),
    ...line('Template', message.template),
    ...line('Last error', message.lastError),
    ...section('Recipients', recipientRows(message.recipients)),
    ...section('Trail', eventRows(message.events)),
    ...section(
      'Headers',
      Object.entries(message.headers ?? {}).map(([name, value]) => `${name}: ${value}`),
    ),
    ...section(
      'Metadata',
      Object.entries(message.metadata).map(([name, value]) => `${name}: ${value}`),
    ),
    ...section(
      'Attachments',
      (message.attachments ?? []).map(
        ({ filename, contentType, size }) => `${filename} (${contentType}, ${size} bytes)`,
      ),
    ),
  ];
}

function bodiesOf({ text, html }: Message): string[] {
  return [...(text ? ['Text body:', text] : []), ...(html ? ['HTML body:', html] : [])];
}

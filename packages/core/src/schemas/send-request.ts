import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { customHeadersSchema } from './custom-headers.ts';
import { metadataSchema } from './metadata.ts';
import { agentNameSchema, channelSchema, sourceSchema } from './provenance.ts';
import { mailboxSchema, recipientsSchema } from './recipients.ts';
import { tagsSchema } from './tags.ts';
import { bodyText, headerText } from './text.ts';

const MEGABYTES = LIMITS.bodyBytes / 1_000_000;

/** The send request: what `POST /emails`, and later each item of a batch, takes. */
export const sendRequestSchema = z
  .strictObject({
    from: mailboxSchema.describe('Sender, `a@b.c` or `Name <a@b.c>`, at exactly a verified domain of the account.'),
    to: recipientsSchema(1).describe(
      `One recipient or several, \`a@b.c\` or \`Name <a@b.c>\`. 1 to ${LIMITS.recipientsPerMessage} recipients over to, cc and bcc together.`,
    ),
    cc: recipientsSchema(0).optional().describe('Copies; recipients like `to`.'),
    bcc: recipientsSchema(0)
      .optional()
      .describe('Blind copies; recipients like `to`, stored on the message, never written into it.'),
    reply_to: mailboxSchema.optional().describe('Where answers go. Not a recipient: free, and not checked.'),
    subject: headerText(1, LIMITS.subjectCharacters).describe(
      `Subject line, 1 to ${LIMITS.subjectCharacters} characters, no line breaks.`,
    ),
    html: bodyText(1, LIMITS.bodyBytes).optional().describe(`HTML body, at most ${MEGABYTES} MB.`),
    text: bodyText(0, LIMITS.bodyBytes)
      .optional()
      .describe(
        `Plain text body, at most ${MEGABYTES} MB. Derived from \`html\` when absent; an empty string turns that off.`,
      ),
    tags: tagsSchema.optional(),
    headers: customHeadersSchema.optional(),
    metadata: metadataSchema.optional(),
    channel: channelSchema.optional(),
    source: sourceSchema.optional(),
    agent_name: agentNameSchema.optional(),
  })
  .superRefine((request, context) => {
    if (!request.html && !request.text) {
      const message = 'needs one body form: `html`, `text` or both';
      context.addIssue({ code: 'custom', path: ['html'], message, params: { code: 'required' } });
    }
    if (request.reply_to && hasReplyToHeader(request.headers)) {
      const message = 'is given beside a `Reply-To` header; give one of them';
      context.addIssue({ code: 'custom', path: ['reply_to'], message, params: { code: 'conflict' } });
    }
    const unique = new Set(
      [...request.to, ...(request.cc ?? []), ...(request.bcc ?? [])].map(({ address }) => address.toLowerCase()),
    );
    if (unique.size > LIMITS.recipientsPerMessage) {
      const message = `to, cc and bcc hold ${unique.size} recipients together; at most ${LIMITS.recipientsPerMessage} are allowed`;
      context.addIssue({ code: 'custom', path: ['to'], message, params: { code: 'too_many' } });
    }
  })
  .meta({ id: 'SendRequest' });

function hasReplyToHeader(headers: Readonly<Record<string, string>> | undefined): boolean {
  return headers !== undefined && Object.keys(headers).some((name) => name.toLowerCase() === 'reply-to');
}

export type SendRequest = z.output<typeof sendRequestSchema>;
export type SendRequestInput = z.input<typeof sendRequestSchema>;

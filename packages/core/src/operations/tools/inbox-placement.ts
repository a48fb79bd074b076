import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { mailboxSchema } from '../../schemas/recipients.ts';
import { headerText } from '../../schemas/text.ts';
import { TOOL_COMMAND_NOTE, TOOL_LIMITS, TOOL_NOTE, toolCheckSchema } from '../../schemas/tool-check.ts';

const placementRecordSchema = z
  .object({
    type: z.enum(['SPF', 'DKIM', 'DMARC', 'BLOCKLIST', 'SPAMD']),
    name: z.string().describe('The domain, address or program it is about.'),
    value: z.string().describe('The result, such as `pass`, `listed` or a score.'),
    detail: z.string().nullable().describe('Details; may quote third parties.'),
  })
  .meta({ id: 'InboxPlacementRecord' });

const FORM = ['from', 'subject', 'html', 'text'] as const;

const bodySchema = z
  .strictObject({
    raw: z
      .string()
      .min(1)
      .optional()
      .describe('A whole message as it was received, with its headers. Only `ip` can be passed with it.'),
    from: mailboxSchema.optional().describe('Sender, if you pass the message in parts.'),
    subject: headerText(0, LIMITS.subjectCharacters).optional().describe('Subject line.'),
    html: z.string().optional().describe('HTML body.'),
    text: z.string().optional().describe('Plain text body.'),
    ip: z
      .string()
      .max(45)
      .optional()
      .describe('The address that sent `raw`. Default: the one in the topmost Received header.'),
  })
  .superRefine((body, context) => {
    const refuse = (path: string, message: string, code: string) =>
      context.addIssue({ code: 'custom', path: [path], message, params: { code } });
    const given = FORM.filter((name) => body[name] !== undefined);
    if (body.raw !== undefined) {
      for (const name of given) refuse(name, 'cannot be combined with `raw`', 'conflict');
      return;
    }
    if (given.length === 0) return refuse('raw', 'is required, or `from`, `subject` and `html` or `text`', 'required');
    if (body.from === undefined) refuse('from', 'is required', 'required');
    if (body.subject === undefined) refuse('subject', 'is required', 'required');
    if (body.html === undefined && body.text === undefined) refuse('text', 'is required, or `html`', 'required');
    if (body.ip !== undefined) refuse('ip', 'can only be combined with `raw`', 'conflict');
  });

export const checkInboxPlacement = defineOperation({
  id: 'tools.inbox-placement',
  method: 'POST',
  path: '/tools/inbox-placement',
  access: { kind: 'public' },
  reach: 'none',
  summary: 'Estimate whether a message reaches the inbox',
  description: `An estimate, not a seed test: nothing is sent. Checks authentication (of a whole message in \`raw\`), headers, content, links, blocklists and, if the installation has one, the score of SpamAssassin. The history of a sender at a receiver is not visible from outside. ${TOOL_NOTE}`,
  effect: 'read',
  body: bodySchema,
  bodyBytes: LIMITS.toolBodyBytes,
  anonymousLimits: TOOL_LIMITS,
  status: 200,
  response: 'json',
  output: toolCheckSchema(
    'inbox-placement',
    'InboxPlacementCheck',
    placementRecordSchema,
    'The results that the estimate is based on.',
  ),
  errors: ['rate_limited'],
  mcp: {
    tool: 'check_inbox_placement',
    toolset: 'diagnostics',
    title: 'Estimate inbox placement',
    description:
      'Estimates from a whole message (`raw`), or from `from`, `subject` and bodies, whether it reaches the inbox: authentication, headers, content, links, blocklists. Not for checking whether this server would accept a send: use preview_email. Sends nothing. Returns findings with fixes, worst first.',
  },
  cli: {
    command: 'tools inbox-placement',
    description: `An estimate, not a seed test: nothing is sent. Checks authentication (of a whole message from --file or --raw), headers, content, links, blocklists and, if the installation has one, the score of SpamAssassin. The history of a sender at a receiver is not visible from outside. ${TOOL_COMMAND_NOTE}`,
    examples: [
      'postrider tools inbox-placement --file message.eml',
      'postrider tools inbox-placement --from "Ada <ada@example.com>" --subject "Your receipt" --text "Thank you."',
    ],
  },
});

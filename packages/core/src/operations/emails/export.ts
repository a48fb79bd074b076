import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { EXPORT_FORMATS, exportFormatSchema, exportRowSchema } from '../../schemas/export-row.ts';
import { isSpanInOrder, messageFilterFields, SPAN_IN_DISORDER } from '../../schemas/message-filters.ts';

export const exportEmails = defineOperation({
  id: 'emails.export',
  method: 'GET',
  path: '/emails/export',
  access: { kind: 'key', scope: 'emails:read' },
  reach: 'none',
  summary: 'Export emails',
  description: `Exports the message log as a file, newest first, at most ${LIMITS.exportRows} rows, streamed. The rows of all formats have the names of the CSV columns. In CSV, tags are joined by \`;\`, lines end with LF, and a cell that a spreadsheet would run as a formula starts with an apostrophe. A stream that ends early is incomplete.`,
  effect: 'read',
  query: z.strictObject({ format: exportFormatSchema, ...messageFilterFields }).refine(isSpanInOrder, SPAN_IN_DISORDER),
  status: 200,
  response: 'stream',
  output: z.string(),
  streams: {
    [EXPORT_FORMATS.csv]: z.string().describe('A header line and a line for each message (RFC 4180).'),
    [EXPORT_FORMATS.json]: z.array(exportRowSchema),
    [EXPORT_FORMATS.jsonl]: z.string().describe('A JSON object a line.'),
  },
  responseHeaders: {
    'content-disposition': 'The name of the file: the account’s, then `-messages-`, the date in UTC and the format.',
    'x-export-truncated': `\`true\` if more than ${LIMITS.exportRows} messages match; the file then contains the newest.`,
  },
  errors: ['rate_limited'],
  mcp: {
    tool: 'export_emails',
    toolset: 'logs',
    title: 'Export emails',
    description:
      'Exports the message log as a file (`csv`, `json` or `jsonl`), newest first, about 60 lines a call. Returns a part of the file and the `body_offset` of the next part. Not for finding single messages: use list_emails.',
    renames: { since: 'from', until: 'to', from: 'sender' },
  },
  cli: {
    command: 'emails export',
    examples: [
      'postrider emails export --from 2026-01-01 --to 2026-02-01 --output january.csv',
      'postrider emails export --status bounced --format jsonl | jq -r .to',
    ],
  },
});

import { z } from 'zod';
import { idSchema, timestampSchema } from './identifiers.ts';
import { messageStatusSchema } from './message.ts';
import { channelSchema, sourceSchema } from './provenance.ts';

/** The formats of an export and their content types. */
export const EXPORT_FORMATS = {
  csv: 'text/csv; charset=utf-8',
  json: 'application/json; charset=utf-8',
  jsonl: 'application/x-ndjson',
} as const;

export type ExportFormat = keyof typeof EXPORT_FORMATS;

export const exportFormatSchema = z
  .enum(['csv', 'json', 'jsonl'])
  .default('csv')
  .describe('`csv`, `json` (one array) or `jsonl` (one JSON object per line).');

/** One exported message, with fields in the order of the CSV columns. */
export const exportRowSchema = z
  .object({
    id: idSchema,
    created_at: timestampSchema,
    from: z.string().describe('The sender in the request.'),
    to: z.string().describe('The `to` addresses, joined by a comma and a space.'),
    subject: z.string(),
    status: messageStatusSchema,
    channel: channelSchema,
    source: sourceSchema,
    agent_name: z.string().nullable(),
    tags: z.array(z.string()),
  })
  .meta({ id: 'ExportRow' });

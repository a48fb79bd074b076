import { requirement, section } from './requirement.ts';

export const emailsGet = section('GET /emails/:id', [
  requirement('emails-get.status', 'Returns status.'),
  requirement('emails-get.trail', 'Returns the event log.'),
  requirement('emails-get.body', 'Returns rendered body.'),
  requirement('emails-get.provenance', 'Returns provenance.'),
  requirement(
    'emails-get.key',
    'Returns the key that the message was sent under, to that key and to callers that may list keys.',
  ),
  requirement(
    'emails-get.attempts',
    'Returns every delivery attempt with its server, encryption, times, outcome and reply, those that failed before a conversation included.',
  ),
  requirement(
    'emails-get.conversation',
    'Returns the SMTP conversation of an attempt within limits, without the message, credentials, the signed return path and control characters.',
  ),
]);

export const emailsList = section('GET /emails', [
  requirement('emails-list.status', '`status`: filter by status, or by `problem` for all that need attention.'),
  requirement('emails-list.q', '`q`: search over recipient or subject.'),
  requirement(
    'emails-list.tag',
    '`tag`: label filter; repeatable; repeated values narrow the result (all must match).',
  ),
  requirement('emails-list.channel', '`channel`: `mcp`, `sdk`, `api`, `smtp`.'),
  requirement('emails-list.source', '`source`: provenance source.'),
  requirement('emails-list.agent-name', '`agent_name`: provenance agent name.'),
  requirement('emails-list.key', '`key_id`: the key that a message was sent under, for callers that may see it.'),
  requirement('emails-list.limit', '`limit`: page size.'),
  requirement('emails-list.cursor', '`cursor`: keyset cursor from `nextCursor`.'),
  requirement(
    'emails-list.further-filters',
    'Filters by recipient, domain and date exist; their parameter names: not specified.',
  ),
  requirement('emails-list.response', 'Response `200`: `{messages: [message record], total, nextCursor}`.'),
  requirement('emails-list.last-page', '`nextCursor` is null when there is no further page.'),
  requirement('emails-list.keyset', 'Pagination is keyset based.'),
]);

export const emailsExport = section('GET /emails/export', [
  requirement('emails-export.format', 'Query: `format` (`csv`, `json` or `jsonl` for NDJSON).'),
  requirement('emails-export.default-format', 'The default format: not specified.'),
  requirement('emails-export.window', 'Query: `from` and `to` (ISO 8601 timestamps bounding the window).'),
  requirement('emails-export.filters', 'Query: all filters of `GET /emails`.'),
  requirement('emails-export.streamed', 'Response `200`, streamed, at most 100,000 rows, fetched in keyset batches.'),
  requirement('emails-export.csv-type', 'For csv: `Content-Type: text/csv; charset=utf-8`.'),
  requirement(
    'emails-export.csv-file-name',
    'For csv: `Content-Disposition: attachment` with a filename of the form `<name>-messages-<date>.csv`.',
  ),
  requirement('emails-export.json-types', 'Content types for json and jsonl: not specified.'),
]);

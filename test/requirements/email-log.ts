import { active, section } from './requirement.ts';

export const emailsGet = section('GET /emails/:id', [
  active('emails-get.status', 'Returns status.'),
  active('emails-get.trail', 'Returns event trail.'),
  active('emails-get.body', 'Returns rendered body.'),
  active('emails-get.provenance', 'Returns provenance.'),
]);

export const emailsList = section('GET /emails', [
  active('emails-list.status', '`status`: filter by status.'),
  active('emails-list.q', '`q`: search over recipient or subject.'),
  active('emails-list.tag', '`tag`: label filter; repeatable; repeated values narrow the result (all must match).'),
  active('emails-list.channel', '`channel`: `mcp`, `sdk`, `api`, `smtp`.'),
  active('emails-list.source', '`source`: provenance source.'),
  active('emails-list.agent-name', '`agent_name`: provenance agent name.'),
  active('emails-list.limit', '`limit`: page size.'),
  active('emails-list.cursor', '`cursor`: keyset cursor from `nextCursor`.'),
  active(
    'emails-list.further-filters',
    'Filters by recipient, domain and date exist; their parameter names: not shown.',
  ),
  active('emails-list.response', 'Response `200`: `{messages: [message record], total, nextCursor}`.'),
  active('emails-list.last-page', '`nextCursor` is null when there is no further page.'),
  active('emails-list.keyset', 'Pagination is keyset based.'),
]);

export const emailsExport = section('GET /emails/export', [
  active('emails-export.format', 'Query: `format` (`csv`, `json` or `jsonl` for NDJSON).'),
  active('emails-export.default-format', 'The default format: not shown.'),
  active('emails-export.window', 'Query: `from` and `to` (ISO 8601 timestamps bounding the window).'),
  active('emails-export.filters', 'Query: all filters of `GET /emails`.'),
  active('emails-export.streamed', 'Response `200`, streamed, at most 100,000 rows, fetched in keyset batches.'),
  active('emails-export.csv-type', 'For csv: `Content-Type: text/csv; charset=utf-8`.'),
  active(
    'emails-export.csv-file-name',
    'For csv: `Content-Disposition: attachment` with a filename of the form `<name>-messages-<date>.csv`.',
  ),
  active('emails-export.json-types', 'Content types for json and jsonl: not shown.'),
]);

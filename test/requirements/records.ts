import { requirement, section } from './requirement.ts';

export const messageRecord = section('Message record', [
  requirement('message-record.id', '`id`: string (UUID form).'),
  requirement('message-record.from', '`from`: string.'),
  requirement('message-record.to', '`to`: string.'),
  requirement('message-record.subject', '`subject`: string.'),
  requirement('message-record.status', '`status`: string (for example `queued`, `delivered`, `bounced`).'),
  requirement('message-record.channel', '`channel`: string enum `api`, `sdk`, `mcp`, `smtp`.'),
  requirement('message-record.source', '`source`: string enum `agent`, `backend`, `automation`, `system`.'),
  requirement('message-record.agent-name', '`agentName`: string.'),
  requirement('message-record.tags', '`tags`: array of strings.'),
  requirement('message-record.created-at', '`createdAt`: string, ISO 8601 UTC timestamp with milliseconds.'),
  requirement(
    'message-record.single-read',
    'The single-message read also returns the full event log, the rendered body and the origin provenance (`channel`, `source`, `agentName`).',
  ),
  requirement(
    'message-record.single-read-fields',
    'Field names of the event log and the rendered body: not specified.',
  ),
]);

export const exportRow = section('Export row', [
  requirement(
    'export-row.columns',
    'CSV header columns in order: `id`, `created_at`, `from`, `to`, `subject`, `status`, `channel`, `source`, `agent_name`, `tags`.',
  ),
  requirement('export-row.json-fields', 'Field names of the `json` and `jsonl` rows: not specified.'),
]);

export const batchResponse = section('Batch response', [
  requirement('batch-response.accepted', '`accepted`: integer. Count of accepted items.'),
  requirement('batch-response.refused', '`refused`: integer. Count of refused items.'),
  requirement('batch-response.total', '`total`: integer. Count of items.'),
  requirement('batch-response.results', '`results`: array. One entry per item, in order.'),
  requirement('batch-response.index', '`results[].index`: integer. Position of the item in the request.'),
  requirement('batch-response.ok', '`results[].ok`: boolean. Whether the item was accepted.'),
  requirement('batch-response.id', '`results[].id`: string. Present for accepted items.'),
  requirement('batch-response.status', '`results[].status`: string. `queued` for accepted items.'),
  requirement('batch-response.refused-item', 'Fields of a refused item beyond `index` and `ok`: not specified.'),
]);

export const accountAndStatistics = section('Account and statistics', [
  requirement(
    'account-and-statistics.account-read',
    'Account read returns: plan, monthly email quota, domain and seat utilization, reputation level, retention days. Field names of these: not specified.',
  ),
  requirement(
    'account-and-statistics.tracking-flags',
    'Account fields with known names: `trackOpens` (boolean) and `trackClicks` (boolean), both off by default on every account.',
  ),
  requirement(
    'account-and-statistics.engagement',
    'Stats response (when `engagement=true`): `window` (string, for example a number of days followed by `d`), `sent` (integer), `opens` object with `tracked`, `opened`, `openRate`, and `clicks` object with `tracked`, `clicked`, `clickRate`.',
  ),
  requirement('account-and-statistics.percent', 'Rates are numbers expressed in percent.'),
  requirement(
    'account-and-statistics.tracked',
    '`tracked` counts only messages that had an open pixel or a rewritten link (mail sent before tracking was enabled, text-only mail and HTML with nothing clickable are excluded).',
  ),
  requirement(
    'account-and-statistics.opened-clicked',
    '`opened` and `clicked` count messages with at least one such event, not events.',
  ),
  requirement('account-and-statistics.rate-base', 'Rates are computed against `tracked`, not against `sent`.'),
  requirement(
    'account-and-statistics.absent-blocks',
    'The `opens` block is absent unless open tracking is on; the `clicks` block is absent unless click tracking is on (absence means not measured, which differs from zero).',
  ),
  requirement(
    'account-and-statistics.provenance',
    'With `provenance=true` the stats add the matrices `byChannel`, `bySource`, `topAgents`.',
  ),
]);

export const utmToolResponse = section('UTM tool response', [
  requirement('utm-tool-response.ok', '`ok`: boolean.'),
  requirement('utm-tool-response.original', '`original`: string (the input URL).'),
  requirement(
    'utm-tool-response.tagged',
    '`tagged`: string (URL with `utm_*` query parameters added, existing query parameters and anchors preserved).',
  ),
  requirement(
    'utm-tool-response.params',
    '`params`: object with keys `utm_source`, `utm_medium`, `utm_campaign`, `utm_content` (and by parameter name presumably `utm_term`, when a term is sent).',
  ),
]);

export const root = section('Service information document', [
  requirement('root.path', '`GET /` (root): service information document, a JSON object.'),
  requirement('root.service', '`service` (string).'),
  requirement('root.status', '`status` (string, `ok` when healthy).'),
  requirement('root.docs', '`docs` (string URL).'),
  requirement('root.endpoints', '`endpoints` (object mapping a purpose name to a text listing method and path).'),
  requirement('root.note', '`note` (string about the `x-request-id` header).'),
]);

export const records = section('Records whose fields are not shown', [
  requirement('records.domain', 'Fields of domain records: not specified.'),
  requirement('records.key', 'Fields of API key records: not specified.'),
  requirement('records.webhook', 'Fields of webhook records: not specified.'),
  requirement('records.template', 'Fields of template records: not specified.'),
  requirement('records.suppression', 'Fields of suppression records: not specified.'),
  requirement('records.ticket', 'Fields of support ticket records: not specified.'),
  requirement('records.approval', 'Fields of approval records: not specified.'),
]);

import { active, section } from './requirement.ts';

export const messageRecord = section('Message record', [
  active('message-record.id', '`id`: string (UUID form).'),
  active('message-record.from', '`from`: string.'),
  active('message-record.to', '`to`: string.'),
  active('message-record.subject', '`subject`: string.'),
  active('message-record.status', '`status`: string (for example `queued`, `delivered`, `bounced`).'),
  active('message-record.channel', '`channel`: string enum `api`, `sdk`, `mcp`, `smtp`.'),
  active('message-record.source', '`source`: string enum `agent`, `backend`, `automation`, `system`.'),
  active('message-record.agent-name', '`agentName`: string.'),
  active('message-record.tags', '`tags`: array of strings.'),
  active('message-record.created-at', '`createdAt`: string, ISO 8601 UTC timestamp with milliseconds.'),
  active(
    'message-record.single-read',
    'The single-message read additionally returns the full event trail, the rendered body and the origin provenance (`channel`, `source`, `agentName`).',
  ),
  active('message-record.single-read-fields', 'Field names of the trail and the rendered body: not shown.'),
]);

export const exportRow = section('Export row', [
  active(
    'export-row.columns',
    'CSV header columns in order: `id`, `created_at`, `from`, `to`, `subject`, `status`, `channel`, `source`, `agent_name`, `tags`.',
  ),
  active('export-row.json-fields', 'Field names of the `json` and `jsonl` rows: not shown.'),
]);

export const batchResponse = section('Batch response', [
  active('batch-response.accepted', '`accepted`: integer. Count of accepted items.'),
  active('batch-response.refused', '`refused`: integer. Count of refused items.'),
  active('batch-response.total', '`total`: integer. Count of items.'),
  active('batch-response.results', '`results`: array. One entry per item, in order.'),
  active('batch-response.index', '`results[].index`: integer. Position of the item in the request.'),
  active('batch-response.ok', '`results[].ok`: boolean. Whether the item was accepted.'),
  active('batch-response.id', '`results[].id`: string. Present for accepted items.'),
  active('batch-response.status', '`results[].status`: string. `queued` for accepted items.'),
  active('batch-response.refused-item', 'Fields of a refused item beyond `index` and `ok`: not shown.'),
]);

export const accountAndStatistics = section('Account and statistics', [
  active(
    'account-and-statistics.account-read',
    'Account read returns: plan, monthly email quota, domain and seat utilization, reputation level, retention days. Field names of these: not shown.',
  ),
  active(
    'account-and-statistics.tracking-flags',
    'Account fields with known names: `trackOpens` (boolean) and `trackClicks` (boolean), both off by default on every account.',
  ),
  active(
    'account-and-statistics.engagement',
    'Stats response (when `engagement=true`): `window` (string, for example a number of days followed by `d`), `sent` (integer), `opens` object with `tracked`, `opened`, `openRate`, and `clicks` object with `tracked`, `clicked`, `clickRate`.',
  ),
  active('account-and-statistics.percent', 'Rates are numbers expressed in percent.'),
  active(
    'account-and-statistics.tracked',
    '`tracked` counts only messages that actually carried an open pixel or a rewritten link (mail sent before tracking was enabled, text-only mail and HTML with nothing clickable are excluded).',
  ),
  active(
    'account-and-statistics.opened-clicked',
    '`opened` and `clicked` count messages with at least one such event, not events.',
  ),
  active('account-and-statistics.rate-base', 'Rates are computed against `tracked`, not against `sent`.'),
  active(
    'account-and-statistics.absent-blocks',
    'The `opens` block is absent unless open tracking is on; the `clicks` block is absent unless click tracking is on (absence means not measured, which differs from zero).',
  ),
  active(
    'account-and-statistics.provenance',
    'With `provenance=true` the stats add the matrices `byChannel`, `bySource`, `topAgents`.',
  ),
]);

export const utmToolResponse = section('UTM tool response', [
  active('utm-tool-response.ok', '`ok`: boolean.'),
  active('utm-tool-response.original', '`original`: string (the input URL).'),
  active(
    'utm-tool-response.tagged',
    '`tagged`: string (URL with `utm_*` query parameters added, existing query parameters and anchors preserved).',
  ),
  active(
    'utm-tool-response.params',
    '`params`: object with keys `utm_source`, `utm_medium`, `utm_campaign`, `utm_content` (and by parameter name presumably `utm_term`, when a term is sent).',
  ),
]);

export const root = section('Service information document', [
  active('root.path', '`GET /` (root): service information document, a JSON object.'),
  active('root.service', '`service` (string).'),
  active('root.status', '`status` (string, `ok` when healthy).'),
  active('root.docs', '`docs` (string URL).'),
  active('root.endpoints', '`endpoints` (object mapping a purpose name to a text listing method and path).'),
  active('root.note', '`note` (string about the `x-request-id` header).'),
]);

export const records = section('Records whose fields are not shown', [
  active('records.domain', 'Fields of domain records: not shown.'),
  active('records.key', 'Fields of API key records: not shown.'),
  active('records.webhook', 'Fields of webhook records: not shown.'),
  active('records.template', 'Fields of template records: not shown.'),
  active('records.suppression', 'Fields of suppression records: not shown.'),
  active('records.ticket', 'Fields of support ticket records: not shown.'),
  active('records.approval', 'Fields of approval records: not shown.'),
]);

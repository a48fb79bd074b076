import { active, section } from './requirement.ts';

export const general = section('General', [
  active('general.base-url', 'All paths are relative to `{base_url}`.'),
  active('general.json-bodies', 'Bodies are JSON unless stated.'),
]);

export const service = section('What the service does', [
  active('service.sends', 'The service sends email on behalf of an account.'),
  active(
    'service.own-domains',
    'The service sends email on behalf of an account from its own verified sending domains.',
  ),
  active(
    'service.asynchronous',
    'Sending is asynchronous. The API never calls the outbound mail provider inside the request.',
  ),
  active('service.identifier', 'A send returns an identifier within the request and the status `queued`.'),
  active('service.background-worker', 'Delivery happens afterwards on a background worker.'),
  active('service.outcome-by-reading', 'The outcome is reported by reading the message.'),
  active('service.outcome-by-webhook', 'The outcome is reported through webhooks.'),
  active(
    'service.provenance',
    'Every message carries origin provenance: `channel`, `source` and an optional `agent_name`.',
  ),
  active(
    'service.check-suppression',
    'Every recipient (`to`, `cc`, `bcc`) passes an acceptance check against the suppression list.',
  ),
  active(
    'service.check-allowlist',
    'Every recipient (`to`, `cc`, `bcc`) passes an acceptance check against the recipient allowlist of the key.',
  ),
  active(
    'service.check-quota',
    'Every recipient (`to`, `cc`, `bcc`) passes an acceptance check against the current monthly quota.',
  ),
  active('service.check-single', 'Single sends pass the acceptance check.'),
  active('service.check-batch', 'Batch items pass the acceptance check.'),
  active('service.check-resend', 'Resends pass the acceptance check.'),
  active('service.tracking', 'Optional per-account open tracking and click tracking.'),
  active('service.utm', 'UTM link tagging.'),
  active('service.tags', 'Tags.'),
  active('service.dry-run', 'A dry run mode.'),
  active('service.scheduled-sends', 'Scheduled sends.'),
  active('service.log-pagination', 'A message log with keyset pagination.'),
  active('service.log-filters', 'A message log with filters.'),
  active('service.log-export', 'A message log with streamed export.'),
  active('service.domains', 'Sending domains with DNS records.'),
  active('service.keys', 'API keys with restrictions.'),
  active('service.webhooks', 'Signed webhooks with delivery logs and replay.'),
  active('service.templates', 'Versioned Liquid templates.'),
  active('service.suppressions', 'A suppression list.'),
  active('service.statistics', 'Account statistics.'),
  active('service.tickets', 'Support tickets.'),
  active('service.mcp', 'An MCP JSON-RPC endpoint.'),
  active('service.tools', 'Unauthenticated free diagnostic tools.'),
  active('service.request-log', 'Requests are logged with a request identifier carried in the `x-request-id` header.'),
  active('service.request-in-ticket', 'The request identifier can be quoted in a support ticket.'),
]);

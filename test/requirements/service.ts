import { requirement, section } from './requirement.ts';

export const general = section('General', [
  requirement('general.base-url', 'All paths are relative to `{base_url}`.'),
  requirement('general.json-bodies', 'Bodies are JSON unless stated.'),
]);

export const service = section('What the service does', [
  requirement('service.sends', 'The service sends email on behalf of an account.'),
  requirement(
    'service.own-domains',
    'The service sends email on behalf of an account from its own verified sending domains.',
  ),
  requirement(
    'service.asynchronous',
    'Sending is asynchronous. The API never calls the outbound mail provider inside the request.',
  ),
  requirement('service.identifier', 'A send returns an identifier within the request and the status `queued`.'),
  requirement('service.background-worker', 'Delivery happens afterwards on a background worker.'),
  requirement('service.outcome-by-reading', 'The outcome is reported by reading the message.'),
  requirement('service.outcome-by-webhook', 'The outcome is reported through webhooks.'),
  requirement('service.provenance', 'Every message has provenance: `channel`, `source` and an optional `agent_name`.'),
  requirement(
    'service.check-suppression',
    'Every recipient (`to`, `cc`, `bcc`) passes an acceptance check against the suppression list.',
  ),
  requirement(
    'service.check-allowlist',
    'Every recipient (`to`, `cc`, `bcc`) passes an acceptance check against the recipient allowlist of the key.',
  ),
  requirement(
    'service.check-quota',
    'Every recipient (`to`, `cc`, `bcc`) passes an acceptance check against the current monthly quota.',
  ),
  requirement('service.check-single', 'Single sends pass the acceptance check.'),
  requirement('service.check-batch', 'Batch items pass the acceptance check.'),
  requirement('service.check-resend', 'Resends pass the acceptance check.'),
  requirement('service.tracking', 'Optional per-account open tracking and click tracking.'),
  requirement('service.utm', 'UTM link tagging.'),
  requirement('service.tags', 'Tags.'),
  requirement('service.dry-run', 'A dry run mode.'),
  requirement('service.scheduled-sends', 'Scheduled sends.'),
  requirement('service.log-pagination', 'A message log with keyset pagination.'),
  requirement('service.log-filters', 'A message log with filters.'),
  requirement('service.log-export', 'A message log with streamed export.'),
  requirement('service.domains', 'Sending domains with DNS records.'),
  requirement('service.keys', 'API keys with restrictions.'),
  requirement('service.webhooks', 'Signed webhooks with delivery logs and replay.'),
  requirement('service.templates', 'Versioned Liquid templates.'),
  requirement('service.suppressions', 'A suppression list.'),
  requirement('service.statistics', 'Account statistics.'),
  requirement('service.tickets', 'Support tickets.'),
  requirement('service.mcp', 'An MCP JSON-RPC endpoint.'),
  requirement('service.tools', 'Unauthenticated free diagnostic tools.'),
  requirement(
    'service.request-log',
    'Requests are logged with a request identifier, which the `x-request-id` header contains.',
  ),
  requirement('service.request-in-ticket', 'The request identifier can be quoted in a support ticket.'),
]);

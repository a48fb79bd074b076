import { active, section } from './requirement.ts';

export const contractSurfaces = section('contract: Surfaces', [
  active('contract-surfaces.openapi', 'The OpenAPI document is served at `/openapi.json` and `/openapi.yaml`.'),
  active('contract-surfaces.reference', 'The reference page is served at `/reference`.'),
  active('contract-surfaces.sdk-client', 'SDK: `new Postrider({apiKey, baseUrl?, timeoutMs?, maxRetries?})`.'),
  active('contract-surfaces.sdk-emails', 'Methods are named by operation id: `emails.send|get|list`.'),
  active('contract-surfaces.sdk-send-batch', 'Methods are named by operation id: `emails.sendBatch`.'),
  active('contract-surfaces.sdk-export', 'Methods are named by operation id: `emails.export`.'),
  active('contract-surfaces.sdk-cancel-and-resend', 'Methods are named by operation id: `emails.cancel|resend`.'),
  active('contract-surfaces.sdk-reschedule', 'Methods are named by operation id: `emails.reschedule`.'),
  active('contract-surfaces.sdk-account', 'Methods are named by operation id: `account.get|update`.'),
  active('contract-surfaces.sdk-checklist', 'Methods are named by operation id: `account.checklist`.'),
  active('contract-surfaces.sdk-statistics', 'Methods are named by operation id: `account.stats|volume`.'),
  active(
    'contract-surfaces.sdk-domains',
    'Methods are named by operation id: `domains.create|list|records|verify|history|restore|delete`.',
  ),
  active('contract-surfaces.sdk-keys', 'Methods are named by operation id: `keys.…`.'),
  active('contract-surfaces.sdk-approvals', 'Methods are named by operation id: `approvals.list|get|decide`.'),
  active('contract-surfaces.sdk-webhooks', 'Methods are named by operation id: `webhooks.…`.'),
  active('contract-surfaces.sdk-templates', 'Methods are named by operation id: `templates.…`.'),
  active('contract-surfaces.sdk-suppressions', 'Methods are named by operation id: `suppressions.…`.'),
  active('contract-surfaces.sdk-tickets', 'Methods are named by operation id: `tickets.…`.'),
  active('contract-surfaces.sdk-tools', 'Methods are named by operation id: `tools.…`.'),
  active('contract-surfaces.sdk-lists', 'Lists are async-iterable and have `.data` and `.nextCursor`.'),
  active(
    'contract-surfaces.sdk-errors',
    'Errors are `PostriderError` with `code`, `status`, `fix`, `retryable`, `requestId`.',
  ),
  active(
    'contract-surfaces.sdk-verify-webhook',
    '`verifyWebhook(body, headers, secret)` answers the typed event or throws.',
  ),
  active(
    'contract-surfaces.cli-environment',
    'CLI reads `POSTRIDER_API_KEY` and `POSTRIDER_BASE_URL`, else the profile.',
  ),
  active(
    'contract-surfaces.stdio-environment',
    'Stdio MCP reads `POSTRIDER_API_KEY` and `POSTRIDER_BASE_URL`, else the profile.',
  ),
  active('contract-surfaces.cli-names', '`postrider send` is `postrider emails send`; groups are named as in the SDK.'),
  active(
    'contract-surfaces.mcp-arguments',
    "MCP tool arguments bear the send request's names; ids are `id`, keys `idempotency_key`.",
  ),
  active('contract-surfaces.mcp-arguments-batch', 'MCP tool arguments: batches are `emails`.'),
]);

export const contractCli = section('contract: CLI exit codes', [
  active('contract-cli.json', '`--json` on every command.'),
  active('contract-cli.wait', '`--wait [seconds]` on sends.'),
  active('contract-cli.exit-0', '0 done.'),
  active('contract-cli.exit-1', '1 unexpected.'),
  active('contract-cli.exit-2', '2 usage.'),
  active('contract-cli.exit-3', '3 authentication.'),
  active('contract-cli.exit-4', '4 permission.'),
  active('contract-cli.exit-5', '5 not found.'),
  active('contract-cli.exit-6', '6 refused (402, 409, 422).'),
  active('contract-cli.exit-6-expired', '6 refused (410).'),
  active('contract-cli.exit-7', '7 rate limited.'),
  active('contract-cli.exit-8', '8 unavailable or network.'),
  active('contract-cli.exit-10', '10 pending approval.'),
  active('contract-cli.exit-11', '11 wait timed out.'),
  active('contract-cli.exit-12', '12 delivery failed.'),
]);

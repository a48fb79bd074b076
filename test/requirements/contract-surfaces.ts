import { requirement, section } from './requirement.ts';

export const contractSurfaces = section('contract: Surfaces', [
  requirement('contract-surfaces.openapi', 'The OpenAPI document is served at `/openapi.json` and `/openapi.yaml`.'),
  requirement('contract-surfaces.reference', 'The reference page is served at `/reference`.'),
  requirement('contract-surfaces.sdk-client', 'SDK: `new Postrider({apiKey, baseUrl?, timeoutMs?, maxRetries?})`.'),
  requirement('contract-surfaces.sdk-emails', 'Methods are named by operation id: `emails.send|get|list`.'),
  requirement('contract-surfaces.sdk-send-batch', 'Methods are named by operation id: `emails.sendBatch`.'),
  requirement('contract-surfaces.sdk-export', 'Methods are named by operation id: `emails.export`.'),
  requirement('contract-surfaces.sdk-cancel-and-resend', 'Methods are named by operation id: `emails.cancel|resend`.'),
  requirement('contract-surfaces.sdk-reschedule', 'Methods are named by operation id: `emails.reschedule`.'),
  requirement('contract-surfaces.sdk-account', 'Methods are named by operation id: `account.get|update`.'),
  requirement('contract-surfaces.sdk-checklist', 'Methods are named by operation id: `account.checklist`.'),
  requirement('contract-surfaces.sdk-statistics', 'Methods are named by operation id: `account.stats|volume`.'),
  requirement(
    'contract-surfaces.sdk-domains',
    'Methods are named by operation id: `domains.create|list|records|verify|history|restore|delete`.',
  ),
  requirement('contract-surfaces.sdk-keys', 'Methods are named by operation id: `keys.…`.'),
  requirement('contract-surfaces.sdk-approvals', 'Methods are named by operation id: `approvals.list|get|decide`.'),
  requirement('contract-surfaces.sdk-webhooks', 'Methods are named by operation id: `webhooks.…`.'),
  requirement('contract-surfaces.sdk-templates', 'Methods are named by operation id: `templates.…`.'),
  requirement('contract-surfaces.sdk-suppressions', 'Methods are named by operation id: `suppressions.…`.'),
  requirement('contract-surfaces.sdk-tickets', 'Methods are named by operation id: `tickets.…`.'),
  requirement('contract-surfaces.sdk-tools', 'Methods are named by operation id: `tools.…`.'),
  requirement('contract-surfaces.sdk-lists', 'Lists are async-iterable and have `.data` and `.nextCursor`.'),
  requirement(
    'contract-surfaces.sdk-errors',
    'Errors are `PostriderError` with `code`, `status`, `fix`, `retryable`, `requestId`.',
  ),
  requirement(
    'contract-surfaces.sdk-verify-webhook',
    '`verifyWebhook(body, headers, secret)` returns the typed event or throws.',
  ),
  requirement(
    'contract-surfaces.cli-environment',
    'The CLI reads `POSTRIDER_API_KEY` and `POSTRIDER_BASE_URL`, or else the profile.',
  ),
  requirement(
    'contract-surfaces.stdio-environment',
    'The stdio MCP server reads `POSTRIDER_API_KEY` and `POSTRIDER_BASE_URL`, or else the profile.',
  ),
  requirement(
    'contract-surfaces.cli-names',
    '`postrider send` is `postrider emails send`; groups are named as in the SDK.',
  ),
  requirement(
    'contract-surfaces.mcp-arguments',
    'MCP tool arguments have the names of the send request. Ids are `id`, idempotency keys `idempotency_key`.',
  ),
  requirement('contract-surfaces.mcp-arguments-batch', 'MCP tool arguments: batches are `emails`.'),
]);

export const contractCli = section('contract: CLI exit codes', [
  requirement('contract-cli.json', 'Every command accepts `--json`.'),
  requirement('contract-cli.wait', 'Commands that send accept `--wait [seconds]`.'),
  requirement('contract-cli.exit-0', 'Exit code 0: success.'),
  requirement('contract-cli.exit-1', 'Exit code 1: unexpected error.'),
  requirement('contract-cli.exit-2', 'Exit code 2: wrong usage.'),
  requirement('contract-cli.exit-3', 'Exit code 3: authentication failed.'),
  requirement('contract-cli.exit-4', 'Exit code 4: no permission.'),
  requirement('contract-cli.exit-5', 'Exit code 5: not found.'),
  requirement('contract-cli.exit-6', 'Exit code 6: refused (402, 409, 422).'),
  requirement('contract-cli.exit-6-expired', 'Exit code 6: refused (410).'),
  requirement('contract-cli.exit-7', 'Exit code 7: rate limited.'),
  requirement('contract-cli.exit-8', 'Exit code 8: unavailable, or a network error.'),
  requirement('contract-cli.exit-10', 'Exit code 10: pending approval.'),
  requirement('contract-cli.exit-11', 'Exit code 11: the wait timed out.'),
  requirement('contract-cli.exit-12', 'Exit code 12: delivery failed.'),
]);

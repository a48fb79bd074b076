import { requirement, section } from './requirement.ts';

export const contractErrors = section('contract: Errors', [
  requirement(
    'contract-errors.body',
    'Every error has the same body: RFC 9457 problem details, `application/problem+json`: `{type,title,status,detail,code,fix,retryable,requestId,errors?,recipients?}`.',
  ),
  requirement('contract-errors.mcp', 'MCP tool errors have the same body.'),
  requirement('contract-errors.batch', 'Refused batch items (`results[].error`) have the same body.'),
  requirement(
    'contract-errors.words',
    '`detail` says what is wrong and `fix` what to do next, in words that a model can act on; `retryable` is a boolean.',
  ),
  requirement('contract-errors.fields', '`errors:[{path,code,message}]` lists field problems.'),
  requirement('contract-errors.recipients', 'A refused send adds `recipients:[{email,kind,code}]`.'),
  requirement('contract-errors.type', '`type` is the URL of the error on the served reference page.'),
  requirement(
    'contract-errors.catalogue',
    'The catalog is one table in code. The reference page and the OpenAPI document are generated from it.',
  ),
  requirement('contract-errors.declared', 'Every operation declares the codes it can return.'),
  requirement('contract-errors.400', '400: `invalid_json`.'),
  requirement(
    'contract-errors.400-device',
    '400: `authorization_pending` `slow_down` `device_code_expired` (as in RFC 8628).',
  ),
  requirement('contract-errors.401', '401: `missing_key` `invalid_key`.'),
  requirement('contract-errors.401-ended-key', '401: `key_revoked` `key_expired`.'),
  requirement('contract-errors.401-session', '401: `session_required`.'),
  requirement(
    'contract-errors.402',
    '402: `quota_exceeded` (not 429: a generic retrier must not loop until next month).',
  ),
  requirement(
    'contract-errors.403',
    '403: `missing_scope` `recipient_not_allowed` `domain_not_verified` `account_suspended`.',
  ),
  requirement(
    'contract-errors.403-keys',
    '403: `ip_not_allowed` `persona_locked` `permission_escalation` `sending_paused`.',
  ),
  requirement('contract-errors.403-approvals', '403: `self_approval_forbidden`.'),
  requirement(
    'contract-errors.404',
    '404: `not_found` (also for the objects of another account: a response never reveals that they exist).',
  ),
  requirement('contract-errors.405', '405: `method_not_allowed`.'),
  requirement('contract-errors.413', '413: `payload_too_large`.'),
  requirement('contract-errors.415', '415: `unsupported_media_type`.'),
  requirement('contract-errors.409', '409: `idempotency_in_progress`.'),
  requirement(
    'contract-errors.409-cancel-and-resend',
    '409: `message_not_queued` (with `currentStatus`) `issuing_key_revoked`.',
  ),
  requirement('contract-errors.409-approvals', '409: `approval_already_decided` `approval_changed`.'),
  requirement('contract-errors.409-webhooks', '409: `webhook_disabled`.'),
  requirement('contract-errors.409-domains', '409: `domain_claimed` `already_exists`.'),
  requirement('contract-errors.410', '410: `body_expired`.'),
  requirement(
    'contract-errors.422',
    '422: `validation_failed` `invalid_cursor` `idempotency_key_reused` `recipient_suppressed`.',
  ),
  requirement(
    'contract-errors.422-templates',
    '422: `template_not_found` `template_variable_missing` `template_render_failed`.',
  ),
  requirement('contract-errors.422-window', '422: `window_too_large`.'),
  requirement(
    'contract-errors.422-attachments',
    '422: `attachment_invalid` `attachment_too_many` `attachment_too_large` `attachment_type_refused` `attachment_url_refused` `attachment_fetch_failed`.',
  ),
  requirement('contract-errors.429', '429: `rate_limited` `send_limit_reached`, with `retry-after`.'),
  requirement('contract-errors.429-approvals', '429: `too_many_held`, with `retry-after`.'),
  requirement('contract-errors.500', '500: `internal`.'),
  requirement('contract-errors.503', '503: `unavailable`.'),
]);

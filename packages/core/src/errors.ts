/**
 * The error catalog: the reference page, the OpenAPI document and docs/errors.md are generated from it. `fix` is general advice; code that
 * refuses a specific case can give a more specific fix. A fix names an operation by its method and path in backticks, and each surface
 * replaces that by its own name (`operation-references.ts`).
 */
export interface ErrorDefinition {
  readonly status: number;
  readonly title: string;
  readonly description: string;
  readonly fix: string;
  readonly retryable: boolean;
}

function define(status: number, title: string, description: string, fix: string, retryable = false): ErrorDefinition {
  return { status, title, description, fix, retryable };
}

export const ERRORS = {
  invalid_json: define(
    400,
    'The request cannot be read',
    'The body is not JSON encoded as UTF-8, or the request is not valid HTTP.',
    'Send one JSON value, encoded as UTF-8, with `Content-Type: application/json`.',
  ),
  authorization_pending: define(
    400,
    'Sign-in not confirmed yet',
    'The user has not confirmed this sign-in yet (RFC 8628).',
    'Wait `interval` seconds and ask again.',
    true,
  ),
  slow_down: define(
    400,
    'Polling too fast',
    'The device polls more often than `interval` allows (RFC 8628).',
    'Add 5 seconds to the interval and ask again.',
    true,
  ),
  device_code_expired: define(
    400,
    'The device code has expired',
    'The user did not confirm this sign-in in time (RFC 8628).',
    'Start the sign-in again.',
  ),
  missing_key: define(
    401,
    'No API key was sent',
    'The operation needs an API key, and the request has none.',
    'Send the header `Authorization: Bearer <API key>`.',
  ),
  invalid_key: define(
    401,
    'The API key is not valid',
    'The key is malformed, mistyped or unknown to this server.',
    'Check that the key was copied completely and that it belongs to this server.',
  ),
  key_revoked: define(
    401,
    'The API key was revoked',
    'The key is revoked and no longer works.',
    'Use another key, or ask the account owner for a new one.',
  ),
  key_expired: define(
    401,
    'The API key has expired',
    'The expiration date of the key has passed.',
    'Use another key, or ask the account owner to extend this one.',
  ),
  session_required: define(
    401,
    'A signed-in user is required',
    'The session has ended, or only signed-in users may call this operation.',
    'Sign in, then call the operation with the session cookie or a bearer session token.',
  ),
  quota_exceeded: define(
    402,
    'The monthly quota is used up',
    'The recipients of this send would exceed the account’s monthly email quota.',
    'Wait for the first day of the next month (UTC), send to fewer recipients, or ask the operator to raise the quota.',
  ),
  missing_scope: define(
    403,
    'No permission for this request',
    'The key does not have the scope for this operation, the role of the signed-in user does not allow it, or a request with the session cookie does not come from a page of this server.',
    'Use a key that has the scope named in `detail`, or ask an owner or admin for another role.',
  ),
  recipient_not_allowed: define(
    403,
    'A recipient is not on the key’s allowlist',
    'The key can only send to the addresses and domains on its recipient allowlist.',
    'Remove the recipients named in `recipients`, or add them to the allowlist of the key with `PATCH /keys/:id`.',
  ),
  ip_not_allowed: define(
    403,
    'The IP address is not on the key’s allowlist',
    'The key can only be used from the networks on its IP allowlist.',
    'Call from an allowed network, or add this one to the key with `PATCH /keys/:id`.',
  ),
  domain_not_verified: define(
    403,
    'The sender’s domain is not verified',
    'Mail can only be sent from a verified domain of the account. The domain must match exactly.',
    'Send from a verified domain, or add this one with `POST /domains` and verify it with `POST /domains/:id/verify`.',
  ),
  persona_locked: define(
    403,
    'The key’s persona is locked',
    'The key fixes the agent name or source, and the request has a different one.',
    'Omit `agent_name` and `source`, or send the values of the key.',
  ),
  self_approval_forbidden: define(
    403,
    'A key cannot approve its own sends',
    'Only a signed-in user can decide, or another key with `approvals:decide` that is not in approval mode.',
    'Ask a user to decide.',
  ),
  permission_escalation: define(
    403,
    'The caller may not do this',
    'The change would grant more than the caller has, or the operation can do more than the caller may do.',
    'Grant at most what the caller has, or ask an owner or admin to do this.',
  ),
  account_suspended: define(
    403,
    'The account is suspended',
    'The operator suspended the account, or its reputation fell too low. Nothing is sent.',
    'Contact the operator of this server.',
  ),
  sending_paused: define(
    403,
    'Sending is paused',
    'The key or the account is paused. Reading still works.',
    'Resume the key with `POST /keys/:id/resume` or the account with `POST /account/resume`, then send again.',
  ),
  not_found: define(
    404,
    'Not found',
    'The account has no object with this id, or the path does not exist.',
    'Check the path and the id.',
  ),
  method_not_allowed: define(
    405,
    'Method not allowed',
    'The path exists, but not with this method.',
    'Use one of the methods in the `allow` header.',
  ),
  idempotency_in_progress: define(
    409,
    'The same request is still running',
    'Another request with this idempotency key has not finished yet.',
    'Wait for the seconds in `retry-after` and send the same request again.',
    true,
  ),
  message_not_queued: define(
    409,
    'The message is no longer queued',
    'Only a message that is still `queued` can be canceled or rescheduled. `currentStatus` is its present status.',
    'Read the message with `GET /emails/:id`. It can no longer be changed.',
  ),
  issuing_key_revoked: define(
    409,
    'The issuing key was revoked',
    'A message is sent again under the key that first sent it, and that key was revoked.',
    'Send a new message with a valid key.',
  ),
  approval_already_decided: define(
    409,
    'The hold was already decided',
    'The hold was approved, rejected or withdrawn, or it expired.',
    'Read the decision with `GET /keys/approvals/:id`.',
  ),
  approval_changed: define(
    409,
    'The content has changed',
    '`contentHash` is the hash of an older revision, or `baseVersion` is neither the current version of the template nor the caller’s own pending draft.',
    'Read the approval with `GET /keys/approvals/:id`, or the template with `GET /templates/:id`, and repeat the request for its current content.',
  ),
  webhook_disabled: define(
    409,
    'The webhook endpoint is disabled',
    'Nothing is delivered to a disabled endpoint.',
    'Enable the endpoint first: set `status` to `enabled` with `PATCH /webhooks/:id`.',
  ),
  domain_claimed: define(
    409,
    'Another account has verified this domain',
    'The name belongs to another account until you prove that you own it.',
    'Publish the TXT record named in this response, then verify the domain.',
  ),
  already_exists: define(
    409,
    'The name is already in use',
    'The account already has an object with this name.',
    'Use another name, or change the existing object.',
  ),
  body_expired: define(
    410,
    'The stored body was removed',
    'Bodies are stored for a limited time, and this one was removed.',
    'Send a new message with its content.',
  ),
  payload_too_large: define(
    413,
    'The request is too large',
    'The body is larger than the limit, or the URL and the headers are.',
    'Send a smaller body.',
  ),
  unsupported_media_type: define(
    415,
    'Unsupported media type',
    'The body must be JSON.',
    'Send the header `Content-Type: application/json`.',
  ),
  validation_failed: define(
    422,
    'The request is not valid',
    'One or more fields are not valid. `errors` lists each with its path.',
    'Correct the fields named in `errors` and send the request again.',
  ),
  invalid_cursor: define(
    422,
    'The cursor is not valid',
    'The cursor is malformed, or it belongs to other filters.',
    'Start again without `cursor`, or use the `nextCursor` of a response with the same filters.',
  ),
  idempotency_key_reused: define(
    422,
    'The idempotency key was used for another request',
    'An earlier request had the same key and a different body.',
    'Use a new idempotency key for a new request. Repeat a key only with exactly the same body.',
  ),
  recipient_suppressed: define(
    422,
    'A recipient is suppressed',
    'At least one recipient is on the account’s suppression list.',
    'Remove the recipients named in `recipients`. `GET /suppressions` shows why an address is on the list.',
  ),
  template_not_found: define(
    422,
    'No such template',
    'The account has no such template, or the template has no such version.',
    'Check the slug or id and the version. `GET /templates` lists the templates.',
  ),
  template_variable_missing: define(
    422,
    'A template variable is missing',
    'The template needs a variable that the request does not have.',
    'Pass the variables named in `errors`.',
  ),
  template_render_failed: define(
    422,
    'The template could not be rendered',
    'Rendering failed or exceeded its limits.',
    'Render the template with the same variables (`POST /templates/:id/render`) to see why.',
  ),
  window_too_large: define(
    422,
    'The window is too large',
    'The requested window is longer than the limit.',
    'Request a shorter window.',
  ),
  attachment_invalid: define(
    422,
    'An attachment is not valid',
    'The content is not base64, or the fields of the attachment contradict each other.',
    'Correct the attachment named in `errors`.',
  ),
  attachment_too_many: define(
    422,
    'Too many attachments',
    'A message can have at most 20 attachments.',
    'Send fewer attachments.',
  ),
  attachment_too_large: define(
    422,
    'The message is too large',
    'The whole encoded message can be at most 25 MB.',
    'Send smaller attachments, or links to them.',
  ),
  attachment_type_refused: define(
    422,
    'This attachment type is not allowed',
    'Executable file types are not sent.',
    'Send another file type, or a link.',
  ),
  attachment_url_refused: define(
    422,
    'The attachment’s URL is not allowed',
    'The server fetches only public https URLs, from hosts that the key may fetch from.',
    'Use a public https URL of a host that the key may fetch from, or send the file itself as base64 `content`.',
  ),
  attachment_fetch_failed: define(
    422,
    'The attachment could not be fetched',
    'The URL did not return the file.',
    'Check that the URL works without authentication, or send the file itself as base64 `content`.',
    true,
  ),
  rate_limited: define(
    429,
    'Too many requests',
    'The rate limit of the key is used up.',
    'Wait for the seconds in `retry-after`, then try again.',
    true,
  ),
  send_limit_reached: define(
    429,
    'The key’s send limit is reached',
    'The key has a limit of messages per hour or day, and it is used up.',
    'Wait for the seconds in `retry-after`, then send again.',
    true,
  ),
  too_many_held: define(
    429,
    'Too many undecided holds',
    'The key has 1,000 held sends that no one has decided, or the held sends of the account reserve a fifth of its monthly quota.',
    'Ask an approver to decide held sends, or cancel some of yours with `POST /emails/:id/cancel`. Then send again.',
    true,
  ),
  internal: define(
    500,
    'Internal error',
    'An unexpected error occurred on the server. It was logged under the request id.',
    'Try again. If the error persists, report the request id to the operator.',
    true,
  ),
  unavailable: define(
    503,
    'Temporarily unavailable',
    'The server cannot process the request right now, for example while its database restarts. If the database connection was lost during a send, the send may have been accepted.',
    'Wait for the seconds in `retry-after` and try again. Repeat a send with its idempotency key, so that it is not sent twice.',
    true,
  ),
} as const satisfies Record<string, ErrorDefinition>;

export type ErrorCode = keyof typeof ERRORS;

export const ERROR_CODES = Object.keys(ERRORS) as readonly ErrorCode[]; // Object.keys widens to string; the literal has only codes.

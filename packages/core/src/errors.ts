/**
 * The error catalogue: the one table of codes, from which the reference page, the OpenAPI document and docs/errors.md are made.
 * `fix` is the general advice; where the place that refuses knows better, it gives its own.
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
    'The body is not valid JSON',
    'The request body could not be read as UTF-8 encoded JSON.',
    'Send one JSON value, encoded as UTF-8, with `Content-Type: application/json`.',
  ),
  authorization_pending: define(
    400,
    'Not confirmed yet',
    'The person has not confirmed this sign-in yet (RFC 8628).',
    'Wait `interval` seconds and ask again.',
    true,
  ),
  slow_down: define(
    400,
    'Asked too often',
    'The device asks more often than `interval` allows (RFC 8628).',
    'Add 5 seconds to the interval and ask again.',
    true,
  ),
  device_code_expired: define(
    400,
    'The device code has expired',
    'Nobody confirmed this sign-in in time (RFC 8628).',
    'Start the sign-in again.',
  ),
  missing_key: define(
    401,
    'No API key was sent',
    'The operation needs an API key and the request carried none.',
    'Send the header `Authorization: Bearer <API key>`.',
  ),
  invalid_key: define(
    401,
    'The API key is not valid',
    'The key is malformed, mistyped or unknown here.',
    'Check that the whole key was copied and that it belongs to this server.',
  ),
  key_revoked: define(
    401,
    'The API key was revoked',
    'The key existed but was revoked.',
    'Use another key, or ask the account’s owner for a new one.',
  ),
  key_expired: define(
    401,
    'The API key has expired',
    'The key’s expiration date has passed.',
    'Use another key, or ask the account’s owner to extend this one.',
  ),
  session_required: define(
    401,
    'A signed-in person is needed',
    'The session has ended, or the operation is for signed-in people and a key cannot call it.',
    'Sign in and call it with the session: the cookie, or a bearer session token.',
  ),
  quota_exceeded: define(
    402,
    'The monthly quota is used up',
    'The recipients of this send would exceed the account’s monthly email quota.',
    'Wait for the first day of the next month (UTC), send to fewer recipients, or have the quota raised.',
  ),
  missing_scope: define(
    403,
    'The key lacks a scope',
    'The key is valid but may not call this operation, or the role of the signed-in person does not allow it.',
    'Use a key that has the scope named in `detail`, or have an owner or admin give you another role.',
  ),
  recipient_not_allowed: define(
    403,
    'A recipient is not on the key’s allowlist',
    'The key may only send to the addresses and domains on its recipient allowlist.',
    'Remove the recipients named in `recipients`, or have them added to the key’s allowlist.',
  ),
  ip_not_allowed: define(
    403,
    'The address is not on the key’s IP allowlist',
    'The key may only be used from the networks on its IP allowlist.',
    'Call from an allowed network, or have this one added to the key.',
  ),
  domain_not_verified: define(
    403,
    'The sender’s domain is not verified',
    'Mail can only be sent from a verified domain of the account, matched exactly.',
    'Send from a verified domain, or verify this one first.',
  ),
  persona_locked: define(
    403,
    'The key’s persona is locked',
    'The key fixes the agent name or source, and the request gave another.',
    'Leave out `agent_name` and `source`, or send the key’s own.',
  ),
  self_approval_forbidden: define(
    403,
    'A key cannot approve its own sends',
    'Deciding needs a signed-in person, or another key with `approvals:decide` that is not in approval mode.',
    'Ask a person to decide.',
  ),
  permission_escalation: define(
    403,
    'The caller may not do this',
    'The change would grant more than the caller has, or the operation can cause more than the caller is allowed to.',
    'Grant at most what the caller has, or ask an owner or admin to do this.',
  ),
  account_suspended: define(
    403,
    'The account is suspended',
    'The operator suspended the account, or its reputation did; nothing is sent.',
    'Contact the operator of this server.',
  ),
  sending_paused: define(
    403,
    'Sending is paused',
    'The key or the account is paused; reading goes on.',
    'Resume the key or the account, then send again.',
  ),
  not_found: define(404, 'Not found', 'Nothing with this address exists in the account.', 'Check the path and the id.'),
  method_not_allowed: define(
    405,
    'Method not allowed',
    'The path exists, but not with this method.',
    'Use one of the methods in the `allow` header.',
  ),
  idempotency_in_progress: define(
    409,
    'The same request is still running',
    'Another request with this idempotency key has not been answered yet.',
    'Wait for the seconds in `retry-after` and send the same request again.',
    true,
  ),
  message_not_queued: define(
    409,
    'The message is no longer queued',
    'Only a message that is still queued can be canceled or rescheduled; `currentStatus` says where it stands.',
    'Read the message; it cannot be changed any more.',
  ),
  issuing_key_revoked: define(
    409,
    'The issuing key was revoked',
    'A message is sent again under the key that sent it, and that key was revoked.',
    'Send a new message with a valid key.',
  ),
  approval_already_decided: define(
    409,
    'The hold was decided before',
    'Somebody approved, rejected or withdrew it, or it expired.',
    'Read the approval to see the decision.',
  ),
  approval_changed: define(
    409,
    'The held content has changed',
    '`contentHash` names an older revision than the present one.',
    'Read the approval again and decide on what it holds now.',
  ),
  webhook_disabled: define(
    409,
    'The webhook endpoint is disabled',
    'Nothing is delivered to a disabled endpoint.',
    'Enable the endpoint first.',
  ),
  domain_claimed: define(
    409,
    'Another account verified this domain',
    'The name belongs to another account until it is proven otherwise.',
    'Publish the TXT challenge from the answer, then verify.',
  ),
  already_exists: define(
    409,
    'It exists already',
    'Something with this name exists in the account.',
    'Use another name, or change the existing one.',
  ),
  body_expired: define(
    410,
    'The stored body has aged out',
    'Bodies are kept for a limited time, and this one was removed.',
    'Send a new message with its content.',
  ),
  payload_too_large: define(
    413,
    'The body is too large',
    'The request body exceeds the limit.',
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
    'One or more fields break a rule; `errors` names each with its path.',
    'Correct the fields named in `errors` and send again.',
  ),
  invalid_cursor: define(
    422,
    'The cursor is not valid',
    'The cursor is broken, or was made for other filters.',
    'Start again without `cursor`, or use the `nextCursor` of an answer with the same filters.',
  ),
  idempotency_key_reused: define(
    422,
    'The idempotency key was used for another request',
    'The same key came before with a different body.',
    'Use a new idempotency key for a new request; repeat a key only with the very same body.',
  ),
  recipient_suppressed: define(
    422,
    'A recipient is suppressed',
    'At least one recipient is on the account’s suppression list.',
    'Remove the recipients named in `recipients`.',
  ),
  template_not_found: define(
    422,
    'No such template',
    'The template, or the pinned version of it, does not exist in the account.',
    'Check the slug or id and the version.',
  ),
  template_variable_missing: define(
    422,
    'A template variable is missing',
    'The template needs a variable that the request did not give.',
    'Give the variables named in `errors`.',
  ),
  template_render_failed: define(
    422,
    'The template could not be rendered',
    'Rendering failed or exceeded its limits.',
    'Render the template with the same variables to see why.',
  ),
  window_too_large: define(
    422,
    'The window is too large',
    'The requested period exceeds the limit.',
    'Ask for a shorter period.',
  ),
  attachment_invalid: define(
    422,
    'An attachment is not valid',
    'The content is not base64, or the attachment’s fields contradict each other.',
    'Correct the attachment named in `errors`.',
  ),
  attachment_too_many: define(
    422,
    'Too many attachments',
    'A message carries at most 20 attachments.',
    'Send fewer attachments.',
  ),
  attachment_too_large: define(
    422,
    'The message is too large',
    'The whole encoded message may be at most 25 MB.',
    'Send smaller attachments, or links to them.',
  ),
  attachment_type_refused: define(
    422,
    'This attachment type is refused',
    'Executable file types are not sent.',
    'Send another type, or a link.',
  ),
  attachment_url_refused: define(
    422,
    'The attachment’s URL is refused',
    'The server fetches only public https URLs, from hosts that the key may fetch from.',
    'Use a public https URL of a host that the key may fetch from, or send the file itself as base64 `content`.',
  ),
  attachment_fetch_failed: define(
    422,
    'The attachment could not be fetched',
    'The URL did not answer with the file.',
    'Check that the URL answers without authentication, or send the content itself.',
    true,
  ),
  rate_limited: define(
    429,
    'Too many requests',
    'The key’s rate limit is used up.',
    'Wait for the seconds in `retry-after`.',
    true,
  ),
  send_limit_reached: define(
    429,
    'The key’s send limit is reached',
    'The key may send only so many messages per hour and day.',
    'Wait for the seconds in `retry-after`.',
    true,
  ),
  too_many_held: define(
    429,
    'Too many undecided holds',
    'The key has 1,000 held sends that no one has decided, or the held sends of the account reserve a fifth of its monthly quota.',
    'Ask an approver to decide held sends, or cancel some of yours. Then send again.',
    true,
  ),
  internal: define(
    500,
    'Something broke on our side',
    'An unexpected fault; it was logged under the request id.',
    'Try again; if it stays, quote the request id to the operator.',
    true,
  ),
  unavailable: define(
    503,
    'Temporarily unavailable',
    'The service cannot answer right now, for example while its database restarts. A send may have been accepted all the same when the connection to the database broke in the middle.',
    'Wait for the seconds in `retry-after` and try again; repeat a send with its idempotency key, and nothing is sent twice.',
    true,
  ),
} as const satisfies Record<string, ErrorDefinition>;

export type ErrorCode = keyof typeof ERRORS;

export const ERROR_CODES = Object.keys(ERRORS) as readonly ErrorCode[]; // Object.keys widens to string.

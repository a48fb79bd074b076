import { requirement, section } from './requirement.ts';

export const keys = section('Keys', [
  requirement('keys.manage', '`GET /keys`, `POST /keys`, `PATCH /keys/:id`, `DELETE /keys/:id`: manage API keys.'),
  requirement(
    'keys.restrictions',
    'A key has a rate limit, a CIDR IP allowlist, an expiration date and a default agent persona.',
  ),
  requirement('keys.scopes-and-allowlist', 'A key has scopes and a recipient allowlist.'),
  requirement('keys.bodies', 'Request and response bodies: not shown.'),
  requirement('keys.secret', 'Secret: `pr_live_`, ≥ 192 random bits in base62, a checksum; only a hash is stored.'),
  requirement(
    'keys.secret-test',
    'Secret: `pr_test_`, ≥ 192 random bits in base62, a checksum; only a hash is stored.',
  ),
  requirement(
    'keys.create-fields',
    'Create `{name,mode?: live|test,scopes,rateLimit?,recipientAllowlist?,ipAllowlist?,expiresAt?,approvalMode?,holdWhen?,persona?,lockPersona?,sendLimit?:{hour,day}}`.',
  ),
  requirement('keys.record-fields', 'The record adds `{id,prefix,last4,createdAt,lastUsedAt,revokedAt}`.'),
  requirement('keys.list-shape', 'Answers are `{keys: […], total, nextCursor}`.'),
  requirement('keys.revoke', '`DELETE` revokes.'),
  requirement(
    'keys.test-mode',
    'A test key runs every rule; recipients outside the sandbox end as `delivered` with detail `simulated` and reach no transport.',
  ),
  requirement('keys.self', '`GET /keys/self` (what this key may do and has left).'),
  requirement(
    'keys.rotate',
    '`POST /keys/:id/rotate {graceSeconds}`. Rotations answer 200. A rotated secret past its grace is `key_revoked`.',
  ),
  requirement(
    'keys.pause',
    '`POST /keys/:id/pause` and `/resume`, `POST /account/pause` and `/resume` (403 `sending_paused` to every send at once; reading goes on).',
  ),
  requirement(
    'keys.defaults',
    'Defaults: `mode` live, `approvalMode` off; a past or naive `expiresAt` is 422; names are 1–100 characters.',
  ),
  requirement(
    'keys.rate-limit',
    "`rateLimit`: requests per minute, 1–1,000,000, default 600, exact across server processes (GCRA kept in Postgres; the burst is the whole minute's allowance).",
  ),
  requirement(
    'keys.rate-limit-headers',
    "Every authenticated answer carries the IETF draft's `RateLimit-Policy` and `RateLimit`; a 429 has `retry-after`.",
  ),
  requirement('keys.allowlist-entries', 'Allowlist entries: `a@b.c`, `@b.c`, `*.b.c`.'),
  requirement('keys.ip-allowlist', 'IP allowlist: CIDRs, v4 and v6, honouring only trusted proxies.'),
  requirement(
    'keys.escalation',
    'A key cannot grant what it lacks, rotate a wider key, or make or become a less restricted one: 403 `permission_escalation`; a signed-in owner or admin can grant anything.',
  ),
  requirement('keys.check-order', 'The order of checks: key, scope, shape, existence, rules.'),
  requirement('keys.check-order-address-and-rate', 'The order of checks: key, address, rate, scope.'),
]);

export const approvals = section('Approvals', [
  requirement('approvals.list', '`GET /keys/approvals`: read sends held by a key in approval mode.'),
  requirement('approvals.decide', '`POST /keys/approvals/:id`: clear sends held by a key in approval mode.'),
  requirement('approvals.bodies', 'Request and response bodies: not shown.'),
  requirement(
    'approvals.modes',
    '`approvalMode`: `off`, `always`, `policy`. With `policy`, `holdWhen` says which sends are held, any match holds: `{firstContact, recipientDomainNotIn[], recipientsOver, hasBcc, hasAttachments, freeformBody, linkDomainNotIn[]}`. If a rule cannot be evaluated, hold.',
  ),
  requirement(
    'approvals.every-path',
    'Every send path passes through it: single, batch item, resend, scheduled, SMTP, MCP.',
  ),
  requirement(
    'approvals.held-answer',
    'A held send answers 202 `{id,status:"pending_approval",approvalId,reasons[],expiresAt}`. More than 1,000 undecided per key is 429 `too_many_held`.',
  ),
  requirement(
    'approvals.pinned',
    'The content is rendered and pinned when it is held; `contentHash` names exactly what was seen.',
  ),
  requirement(
    'approvals.record-fields',
    '`GET /keys/approvals?status&limit&cursor` lists `{id,emailId,status: pending|approved|rejected|expired|withdrawn,reasons[],revision,contentHash,keyId,keyName,agentName,source,channel,from,to[],cc[],bcc[],subject,text,html,attachments,scheduledAt,createdAt,expiresAt,decidedAt,decidedBy,note,rejectCode,edited[]}`; `GET /keys/approvals/:id` reads one, with `?wait=`.',
  ),
  requirement('approvals.list-shape', 'Answers are `{approvals: […], total, nextCursor}`.'),
  requirement(
    'approvals.decision',
    '`POST /keys/approvals/:id {decision: approve|reject, contentHash?, note?, rejectCode?: wrong_recipient|wrong_content|not_needed|policy|other, edits?:{to,cc,bcc,subject,html,text,scheduled_at}, remember?: true}` → 200 with the record; a `contentHash` that no longer matches is 409 `approval_changed`; `edits` make a new revision with the difference kept; `remember` trusts these recipients for this key from now on.',
  ),
  requirement(
    'approvals.many',
    '`POST /keys/approvals {ids,decision,note?}` → 207 `{accepted,refused,total,results}`.',
  ),
  requirement(
    'approvals.outcome',
    "Approval runs the acceptance check again: the record's `outcome` is `queued`, or `failed` with `problem`, and then the message is `failed`. Twice is 409.",
  ),
  requirement(
    'approvals.visibility',
    "A key sees the holds of its own sends; with `approvals:read` the account's. Revoking the issuing key withdraws its holds. The single read of a held message carries `approval:{id,status,reasons[],rejectCode,note,edited[],expiresAt}`.",
  ),
  requirement(
    'approvals.who-decides',
    'Deciding needs a signed-in person, or a key with `approvals:decide` that is not the issuing key and not itself in approval mode; else 403 `self_approval_forbidden`. Over MCP an agent can list, read and withdraw its own holds, never approve.',
  ),
  requirement('approvals.expiry', 'Holds expire after 72 h (per account). Every decision is in the audit log.'),
]);

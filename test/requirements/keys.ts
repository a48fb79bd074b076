import { requirement, section } from './requirement.ts';

export const keys = section('Keys', [
  requirement('keys.manage', '`GET /keys`, `POST /keys`, `PATCH /keys/:id`, `DELETE /keys/:id`: manage API keys.'),
  requirement(
    'keys.restrictions',
    'A key has a rate limit, a CIDR IP allowlist, an expiration date and a default agent persona.',
  ),
  requirement('keys.scopes-and-allowlist', 'A key has scopes and a recipient allowlist.'),
  requirement('keys.bodies', 'Request and response bodies: not specified.'),
  requirement(
    'keys.secret',
    'A live key has the prefix `pr_live_`, at least 192 random bits in base62, and a checksum. Only its hash is stored.',
  ),
  requirement(
    'keys.secret-test',
    'A test key has the prefix `pr_test_`, at least 192 random bits in base62, and a checksum. Only its hash is stored.',
  ),
  requirement(
    'keys.create-fields',
    'Create `{name,mode?: live|test,scopes,rateLimit?,recipientAllowlist?,ipAllowlist?,expiresAt?,approvalMode?,holdWhen?,persona?,lockPersona?,sendLimit?:{hour,day}}`.',
  ),
  requirement('keys.record-fields', 'The record adds `{id,prefix,last4,createdAt,lastUsedAt,revokedAt}`.'),
  requirement('keys.list-shape', 'A list returns `{keys: […], total, nextCursor}`.'),
  requirement('keys.revoke', '`DELETE` revokes.'),
  requirement(
    'keys.test-mode',
    'Sends of a test key pass every check. Recipients outside the sandbox end as `delivered` with the detail `simulated`, and nothing is passed to a transport.',
  ),
  requirement('keys.self', '`GET /keys/self` (what this key may do, and how much of its limits is left).'),
  requirement(
    'keys.policy-words',
    'The settings of a key, stored or not, are described in plain sentences: what it may do, what not, and what is held.',
  ),
  requirement(
    'keys.rotate',
    '`POST /keys/:id/rotate {graceSeconds}`. A rotation returns 200. After its grace period, the old secret is `key_revoked`.',
  ),
  requirement(
    'keys.pause',
    '`POST /keys/:id/pause` and `/resume`, `POST /account/pause` and `/resume` (every send is 403 `sending_paused` at once; reads continue).',
  ),
  requirement(
    'keys.defaults',
    'Defaults: `mode` live, `approvalMode` off; an `expiresAt` in the past or without an offset is 422; names are 1–100 characters.',
  ),
  requirement(
    'keys.rate-limit',
    '`rateLimit`: requests per minute, 1–1,000,000, default 600, exact across server processes (GCRA in PostgreSQL; a burst may use the whole minute).',
  ),
  requirement(
    'keys.rate-limit-headers',
    "Every authenticated response has the IETF draft's `RateLimit-Policy` and `RateLimit`; a 429 has `retry-after`.",
  ),
  requirement('keys.allowlist-entries', 'Allowlist entries: `a@b.c`, `@b.c`, `*.b.c`.'),
  requirement(
    'keys.ip-allowlist',
    'IP allowlist: CIDRs, v4 and v6, `X-Forwarded-For` counts only from trusted proxies.',
  ),
  requirement(
    'keys.escalation',
    'A key cannot grant what it lacks, rotate a less restricted key, or create or become one: 403 `permission_escalation`; a signed-in owner or admin can grant anything.',
  ),
  requirement('keys.check-order', 'Checks run in this order: key, scope, shape, existence, rules.'),
  requirement('keys.check-order-address-and-rate', 'Checks run in this order: key, address, rate, scope.'),
]);

export const approvals = section('Approvals', [
  requirement('approvals.list', '`GET /keys/approvals`: read sends held by a key in approval mode.'),
  requirement('approvals.decide', '`POST /keys/approvals/:id`: decide sends held by a key in approval mode.'),
  requirement('approvals.bodies', 'Request and response bodies: not specified.'),
  requirement(
    'approvals.modes',
    '`approvalMode`: `off`, `always`, `policy`. With `policy`, a send is held if any rule of `holdWhen` matches: `{firstContact, recipientDomainNotIn[], recipientsOver, hasBcc, hasAttachments, freeformBody, linkDomainNotIn[]}`. If a rule cannot be evaluated, the send is held.',
  ),
  requirement(
    'approvals.every-path',
    'Approval mode applies to every kind of send: single, batch item, resend, scheduled, SMTP, MCP.',
  ),
  requirement(
    'approvals.held-answer',
    'A held send returns 202 `{id,status:"pending_approval",approvalId,reasons[],expiresAt}`. More than 1,000 undecided per key is 429 `too_many_held`.',
  ),
  requirement(
    'approvals.pinned',
    'The content is rendered and stored when the send is held. `contentHash` identifies exactly that content.',
  ),
  requirement(
    'approvals.record-fields',
    '`GET /keys/approvals?status&limit&cursor` lists `{id,emailId,status: pending|approved|rejected|expired|withdrawn,reasons[],revision,contentHash,keyId,keyName,agentName,source,channel,from,to[],cc[],bcc[],subject,text,html,attachments,scheduledAt,createdAt,expiresAt,decidedAt,decidedBy,note,rejectCode,edited[]}`; `GET /keys/approvals/:id` reads one, with `?wait=`.',
  ),
  requirement(
    'approvals.check',
    '`GET /keys/approvals/:id/check?recipients` → `{ok,checks:[{name,ok,code,message,fix}],refusal: problem|null,checkedAt}`: what approving now would return, without deciding or charging anything.',
  ),
  requirement(
    'approvals.findings',
    'The terminal inbox and the approval page warn of the same things: links whose text names another host, look-alike hosts, hidden text, invisible characters, targets that are no website.',
  ),
  requirement('approvals.list-shape', 'A list returns `{approvals: […], total, nextCursor}`.'),
  requirement(
    'approvals.decision',
    '`POST /keys/approvals/:id {decision: approve|reject, contentHash?, note?, rejectCode?: wrong_recipient|wrong_content|not_needed|policy|other, edits?:{to,cc,bcc,subject,html,text,scheduled_at}, remember?: true}` → 200 with the record; a `contentHash` that does not match is 409 `approval_changed`; `edits` create a revision, and the difference is stored; with `remember`, this key may send to these recipients without a hold.',
  ),
  requirement(
    'approvals.many',
    '`POST /keys/approvals {ids,decision,note?}` → 207 `{accepted,refused,total,results}`.',
  ),
  requirement(
    'approvals.outcome',
    "Approval runs the acceptance check again: the record's `outcome` is `queued`, or `failed` with `problem`, and then the message is `failed`. A second decision is 409.",
  ),
  requirement(
    'approvals.visibility',
    'A key sees the holds of its own sends; with `approvals:read`, all holds of the account. Revoking the issuing key withdraws its holds. The single read of a held message includes `approval:{id,status,reasons[],rejectCode,note,edited[],expiresAt}`.',
  ),
  requirement(
    'approvals.who-decides',
    'Deciding needs a signed-in user, or a key with `approvals:decide` that is not the issuing key and is not in approval mode; otherwise 403 `self_approval_forbidden`. Over MCP an agent can list, read and withdraw its own holds, never approve.',
  ),
  requirement('approvals.expiry', 'Holds expire after 72 h (per account). Every decision is in the audit log.'),
]);

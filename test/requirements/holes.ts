import { type Requirement, requirement, section } from './requirement.ts';

/** Ways to bypass a restriction or to stop the server that once worked. A test tries each, so that it stays closed. */
export const holes: readonly Requirement[] = section('Closed holes', [
  requirement(
    'holes.every-surface',
    'Whatever operation a restricted key calls (held, held by a policy, in test mode, allowlisted, at its send limit, paused), over REST, MCP, SDK, CLI or SMTP: it sends no more than it is allowed to send, and no decision changes without a user.',
  ),
  requirement(
    'holes.resend',
    'A resend is judged by the stricter of the issuing key and the caller; a hold belongs to the caller.',
  ),
  requirement(
    'holes.made-keys',
    'A key that a key creates, and any key that this one creates, is less restricted in no attribute, also after it is changed or rotated.',
  ),
  requirement(
    'holes.shared-limits',
    'What a key sends counts against the send limits of all keys that created it, so a key cannot avoid a limit by creating keys.',
  ),
  requirement(
    'holes.deciding-keys',
    'A key approves and edits only what its own recipient allowlist and send limit allow, and decides nothing once it is revoked, paused or rotated.',
  ),
  requirement(
    'holes.own-decided',
    'A held key changes nothing of its own messages that are pending, rejected, expired, withdrawn or approved, except that it may cancel them, and the event logs name who did.',
  ),
  requirement('holes.template-drafts', 'What a held key writes to a template is a draft until a user publishes it.'),
  requirement(
    'holes.template-authors',
    'Each part of a template version records its author: a later edit of the subject does not vouch for the HTML.',
  ),
  requirement(
    'holes.approved-bytes',
    'A change of an approved message in the database, or of its receipt, makes it fail: nothing but what was approved leaves.',
  ),
  requirement(
    'holes.reschedule',
    'A held key cannot move the send time of an approved message or of another sender’s message.',
  ),
  requirement(
    'holes.approved-time',
    'The time of an approved message can be changed by no one if its approval needs a passkey, several people or named approvers, and never by the key that asked for it. The audit log names who changed it.',
  ),
  requirement(
    'holes.readable-events',
    'A caller that reads events, in a stream or as stored payloads, gets only those about what it may read: of other keys, no holds without `approvals:read`, no messages without `emails:read` and no keys without `keys:read`.',
  ),
  requirement(
    'holes.rescheduled-sends',
    'A new time for a scheduled message is checked like a send, by the current rules of the keys: their pauses, allowlists and approval mode.',
  ),
  requirement(
    'holes.late-body',
    'A request is judged by the state of its key, session and account when its body is complete, at most 1 second old.',
  ),
  requirement(
    'holes.accept-facts',
    'The acceptance statement itself refuses a key or an account that was revoked, paused, held or restricted meanwhile.',
  ),
  requirement(
    'holes.ended-callers',
    'A send is refused if, while its content was prepared, the session of its user ended, the user lost the seat or the role, or the secret of its key was replaced.',
  ),
  requirement(
    'holes.link-hosts',
    '`linkDomainNotIn` finds every host that a mail client could open, including text with an `@` after the host.',
  ),
  requirement(
    'holes.link-schemes',
    '`linkDomainNotIn` holds every URL whose host is not certainly listed: unknown schemes, hosts that programs parse in different ways, mail addresses, and what a message loads.',
  ),
  requirement('holes.first-contact', 'Mail of the installation does not count as an earlier contact.'),
  requirement(
    'holes.attachment-urls',
    'The attachments of a held send are fetched only from hosts that a user listed for the key, and never in a dry run.',
  ),
  requirement('holes.held-webhooks', 'A held key cannot create or change webhooks.'),
  requirement('holes.held-events', 'Events about a held message have no content until it is decided.'),
  requirement(
    'holes.idempotency-scope',
    'Idempotency keys belong to one API key, so no key can block or replay another key’s sends.',
  ),
  requirement(
    'holes.device-consent',
    'A device sign-in shows who asks, needs the code to be typed, and grants `approvals:decide` only if the user ticks it.',
  ),
  requirement('holes.resume', 'A held key cannot resume an account that a user paused.'),
  requirement(
    'holes.paused-keys',
    'A paused key, or a key of a paused account, cannot change any key, member, setting or template of others: it can only pause, revoke and cancel.',
  ),
  requirement(
    'holes.loosened-holds',
    'Only users and keys that may decide held sends can loosen `approvalMode` or `holdWhen` of a key, so that no caller can do it through a key that it creates.',
  ),
  requirement(
    'holes.passkey-approvals',
    'Where approvals need a passkey, no key, stolen session, device, mailed link, bulk decision or reused signature approves, and none of them loosens that or adds a passkey of its own.',
  ),
  requirement('holes.owner-suppressed', 'Suppressing an owner’s address stops neither sign-in mail nor approval mail.'),
  requirement(
    'holes.freeform',
    '`freeformBody` also holds sends that add a subject with a URL, another sender name, or a `reply_to` at another domain.',
  ),
  requirement(
    'holes.files-within-bodies',
    'A file within a body, as a `data:` URL, uuencode, yEnc or BinHex, is an attachment to `hasAttachments`.',
  ),
  requirement('holes.held-quota', 'Held sends have a separate limit and cannot use up the account’s quota.'),
  requirement(
    'holes.content-scope',
    '`emails:content` shows the messages the key issued; `emails:content-all` shows the rest.',
  ),
  requirement(
    'holes.sight',
    'Without `emails:content-all`, no read path shows blind recipients, metadata, content or approvers’ notes of other senders’ messages, and no filter finds them.',
  ),
  requirement('holes.others-drafts', 'A template draft is visible to its author, to approvers and to users only.'),
  requirement(
    'holes.reserved-headers',
    'No custom header can name recipients or forge what receivers trust: `Resent-*` and headers that command the relays of email services, such as `X-SMTPAPI`, are refused, or removed over SMTP.',
  ),
  requirement(
    'holes.upgrades',
    'After an upgrade, no idempotency key belongs to another caller, and no link in mail of the installation is stored in clear text.',
  ),
  requirement('holes.approval-links', 'Approval links that work are never stored in clear text.'),
  requirement('holes.anonymous-bodies', 'A request without a valid key is refused before a large body is read.'),
  requirement(
    'holes.hostile-work',
    'During each of 200 hostile requests, `/health` responds within 250 ms at p99, and memory grows by less than 200 MB (`pnpm bench hostile`). None blocks the event loop for more than 100 ms of CPU time at once, and the server returns the memory that large requests needed.',
  ),
  requirement(
    'holes.smtp-connections',
    'SMTP submission limits the connections of one address and in total, reserves connections for clients that log in, and closes those that do not.',
  ),
  requirement('holes.linear-patterns', 'Every regular expression that reads text of callers runs in linear time.'),
  requirement(
    'holes.second-wall',
    'The database role of an account-bound connection is set inside each transaction, and the server refuses to start without it.',
  ),
  requirement('holes.oldest-postgres', 'Everything works on PostgreSQL 15, the oldest supported version.'),
  requirement('holes.several-hosts', '`DATABASE_URL` may name several hosts with `target_session_attrs`.'),
  requirement('holes.csv-formulas', 'No exported cell can become a formula, after any separator.'),
  requirement(
    'holes.own-sessions',
    'A user sees every session that acts for them and can end it. No key can, and no device can end the session of a browser.',
  ),
  requirement(
    'holes.form-origin',
    'No page of another site can decide a held send, sign a user in or sign a user out.',
  ),
  requirement(
    'holes.anonymous-lookups',
    'DNS checks that need no key are limited for all callers together, and show nothing that only private names lead to.',
  ),
  requirement(
    'holes.preview-phones-home',
    'The page that shows a held message makes no request to another server, not even by `dns-prefetch`.',
  ),
  requirement(
    'holes.held-view',
    'The view of a held send in an agent’s client makes no request, runs nothing that a message contains, opens only the page of that hold, and can call no tool but the one that reads it.',
  ),
  requirement(
    'holes.mail-to-approvers',
    'Nothing that a sender writes becomes a link in mail to approvers, or passes for a part of ours, in its text or in its HTML.',
  ),
  requirement(
    'holes.documented-answers',
    'Every status, header and security requirement that an operation shows is in the OpenAPI document.',
  ),
]);

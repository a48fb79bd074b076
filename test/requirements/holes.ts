import { type Requirement, requirement, section } from './requirement.ts';

/** Ways around a hold, or to stop the server, that were once proven to work. Each stays closed because a test tries it. */
export const holes: readonly Requirement[] = section('Closed holes', [
  requirement(
    'holes.every-surface',
    'Whatever operation a restricted key calls (held, held by a policy, in test mode, allowlisted, at its send limit, paused), over REST, MCP, SDK, CLI or SMTP: nothing leaves beyond what it may send, and nothing decided changes without a person.',
  ),
  requirement(
    'holes.resend',
    'A resend is judged by the stricter of the issuing key and the caller; a hold belongs to the caller.',
  ),
  requirement(
    'holes.made-keys',
    'A key that a key makes, and any key made by that one, is wider in no attribute, also after it is edited or rotated.',
  ),
  requirement(
    'holes.shared-limits',
    'What a key sends counts against the send limits of all keys it was made by, so making keys is no way around a limit.',
  ),
  requirement(
    'holes.deciding-keys',
    'A key approves and edits only what its own recipient allowlist and send limit allow, and decides nothing once it is revoked, paused or rotated.',
  ),
  requirement(
    'holes.own-decided',
    'A held key changes nothing of its own messages that are pending, rejected, expired, withdrawn or approved, but may cancel one, and the trails name who did.',
  ),
  requirement('holes.template-drafts', 'What a held key writes to a template is a draft until a person publishes it.'),
  requirement(
    'holes.template-authors',
    'Each part of a template version names its author: a later edit of the subject does not vouch for the HTML.',
  ),
  requirement(
    'holes.reschedule',
    'A held key cannot move the send time of an approved message or of another sender’s message.',
  ),
  requirement(
    'holes.rescheduled-sends',
    'A new time for a scheduled message is judged as a send by the present rules of the keys: their pauses, allowlists and approval mode.',
  ),
  requirement(
    'holes.late-body',
    'A request is judged by the state of its key, session and account when its body is complete, at most 1 second old.',
  ),
  requirement(
    'holes.accept-facts',
    'The acceptance statement itself refuses a key or an account that was revoked, paused, held or narrowed meanwhile.',
  ),
  requirement(
    'holes.ended-callers',
    'A send is refused if, while its content was prepared, the session of its user ended, the user lost the seat or the role, or the secret of its key was replaced.',
  ),
  requirement(
    'holes.link-hosts',
    '`linkDomainNotIn` finds every host that a mail client could open, including words with an `@` after the host.',
  ),
  requirement(
    'holes.link-schemes',
    '`linkDomainNotIn` holds every URL whose host is not certainly listed: unknown schemes, disputed hosts, mail addresses, and what a message loads.',
  ),
  requirement('holes.first-contact', 'Mail of the installation itself is no earlier contact.'),
  requirement(
    'holes.attachment-urls',
    'The attachments of a held send are fetched only from hosts that a person listed for the key, and never in a dry run.',
  ),
  requirement('holes.held-webhooks', 'A held key cannot create or change webhooks.'),
  requirement('holes.held-events', 'Events about a held message carry no content until it is decided.'),
  requirement(
    'holes.idempotency-scope',
    'Idempotency keys belong to one API key, so no key can stall or replay another key’s sends.',
  ),
  requirement(
    'holes.device-consent',
    'A device sign-in shows who asks, needs the code to be typed, and grants `approvals:decide` only where the person ticks it.',
  ),
  requirement('holes.resume', 'A held key cannot resume an account that a person paused.'),
  requirement(
    'holes.paused-keys',
    'A paused key, or a key of a paused account, changes no key, seat, setting or template of others: it can only pause, revoke and cancel.',
  ),
  requirement(
    'holes.loosened-holds',
    'Only callers who may decide held sends loosen `approvalMode` or `holdWhen` of a key, users and keys alike, so that no one does it through a key they make.',
  ),
  requirement('holes.owner-suppressed', 'Suppressing an owner’s address stops neither sign-in mail nor approval mail.'),
  requirement(
    'holes.freeform',
    '`freeformBody` also holds a free subject with a URL, a free sender name and a foreign `reply_to`.',
  ),
  requirement(
    'holes.files-within-bodies',
    'A file within a body, as a `data:` URL, uuencode, yEnc or BinHex, is an attachment to `hasAttachments`.',
  ),
  requirement('holes.held-quota', 'Held sends have a ceiling of their own and cannot use up the account’s quota.'),
  requirement(
    'holes.content-scope',
    '`emails:content` shows the messages the key issued; `emails:content-all` shows the rest.',
  ),
  requirement(
    'holes.sight',
    'Without `emails:content-all`, no read path shows, and no filter finds, blind recipients, metadata or content of other senders’ messages.',
  ),
  requirement('holes.others-drafts', 'A template draft is visible to its author, to approvers and to users only.'),
  requirement(
    'holes.reserved-headers',
    'No custom header names recipients or forges what receivers trust: `Resent-*` and the like are refused on every surface.',
  ),
  requirement(
    'holes.upgrades',
    'An upgrade leaves no idempotency key to another caller, and no link of the installation’s mail in clear text.',
  ),
  requirement('holes.approval-links', 'Live approval links are stored nowhere in clear text.'),
  requirement('holes.anonymous-bodies', 'A request without a valid key is refused before a large body is read.'),
  requirement(
    'holes.hostile-work',
    'Beside each of 200 hostile requests `/health` responds within 250 ms at p99 and memory grows by less than 200 MB (`pnpm bench hostile`). None occupies the event loop for more than 100 ms of processor time at once, and the server returns the memory that large requests needed.',
  ),
  requirement(
    'holes.smtp-connections',
    'SMTP submission bounds the connections of one address and in all, leaves places to those who log in, and closes those who do not.',
  ),
  requirement('holes.linear-patterns', 'Every regular expression applied to caller-supplied text runs in linear time.'),
  requirement(
    'holes.second-wall',
    'The database role of an account-bound connection is set inside each transaction, and the server refuses to start without it.',
  ),
  requirement('holes.oldest-postgres', 'Everything works on PostgreSQL 15, the oldest version promised.'),
  requirement('holes.several-hosts', '`DATABASE_URL` may name several hosts with `target_session_attrs`.'),
  requirement('holes.csv-formulas', 'An exported cell cannot become a formula behind any separator.'),
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
    'DNS checks that need no key are bounded for all callers together, and show nothing that only private names lead to.',
  ),
  requirement(
    'holes.preview-phones-home',
    'The page that shows a held message makes no request elsewhere, also not by `dns-prefetch` and the like.',
  ),
  requirement(
    'holes.documented-answers',
    'Every status, header and security requirement that an operation shows is in the OpenAPI document.',
  ),
]);

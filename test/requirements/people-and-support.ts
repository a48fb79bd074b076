import { requirement, section } from './requirement.ts';

export const support = section('Support tickets', [
  requirement(
    'support.tickets',
    '`POST /support/tickets`, `GET /support/tickets`, `GET /support/tickets/:id`: raise a ticket and read the thread, with the context that the application captured.',
  ),
  requirement('support.bodies', 'Request and response bodies: not specified.'),
  requirement(
    'support.record-fields',
    'Ticket: create `{subject,body,requestId?,emailId?,context?}` → `{id,number,status: open|pending|solved|closed,subject,messages:[{author,body,createdAt}],context,createdAt}`.',
  ),
  requirement('support.list-shape', 'A list returns `{tickets: […], total, nextCursor}`.'),
  requirement('support.replies', '`POST /support/tickets/:id/messages {body}` → 201 with the ticket.'),
  requirement(
    'support.context',
    'The server attaches the logged request of `requestId` and the event log of `emailId`.',
  ),
  requirement(
    'support.operator',
    'An operator lists, reads and closes tickets and replies to them with `postrider-server tickets …`. The reply has the author `support` and is mailed to the requester.',
  ),
]);

export const team = section('Team', [
  requirement('team.list', '`GET /team`: team listing. Bodies: not specified.'),
  requirement(
    'team.list-fields',
    'Team: `{members:[{id,name,email,role: owner|admin|developer|approver|viewer,status: active|invited,joinedAt}],seats:{used,limit}}`.',
  ),
  requirement('team.invitations', '`POST /team/invitations {email,role}`, `PATCH` and `DELETE /team/:id`.'),
  requirement(
    'team.audit',
    'Audit: `GET /audit` → entries `{id,seq,action,actor,targetId,createdAt,hash,previousHash}`. A list returns `{entries: […], total, nextCursor}`.',
  ),
]);

export const sessions = section('Sessions', [
  requirement(
    'sessions.endpoints',
    '`GET /auth/session`, `POST /auth/magic-link`, `GET /auth/oauth/:provider`, `POST /auth/logout`: session endpoints for interactive users.',
  ),
  requirement('sessions.bodies', 'Request and response bodies: not specified.'),
  requirement(
    'sessions.magic-link',
    'Sessions: `POST /auth/magic-link {email}` always 202 `{ok:true}`; the token is single-use, 10 min, hashed, bound to the browser that requested it; `GET /auth/magic-link/:token` shows a button, `POST` uses it up (mail scanners follow links).',
  ),
  requirement(
    'sessions.cookie',
    'Cookie `__Host-session` (`session` over plain http in development): opaque, hashed, HttpOnly, Secure, SameSite=Lax, 7 days idle, 30 absolute; writes check Origin.',
  ),
  requirement('sessions.oauth', 'OAuth with state and PKCE; an unknown provider is 404.'),
  requirement(
    'sessions.read-and-logout',
    '`GET /auth/session` → 200 `{authenticated,user,account,expiresAt}`, nulls when signed out. Logout 204.',
  ),
  requirement(
    'sessions.signup',
    '`POSTRIDER_SIGNUP` (open in development, closed in production) says whether signing in with an unknown address creates an account.',
  ),
  requirement(
    'sessions.device',
    'The CLI signs in by `POST /auth/device` → `{deviceCode,userCode,verificationUrl,expiresIn,interval}`, confirmed by the signed-in user on the page `GET /auth/device` (`POST /auth/device/confirm {userCode}`), then `POST /auth/device/token {deviceCode}` → `{token,expiresAt}`, a bearer session token; until then 400 `authorization_pending`.',
  ),
  requirement(
    'sessions.passkey-sign-in',
    'A user can sign in with a passkey that verifies them, without naming an address; it is bound to the host name of the base URL, and the session is that of a sign-in link. Without scripts or passkeys in the browser, the sign-in page works unchanged.',
  ),
  requirement(
    'sessions.passkey-challenges',
    'A passkey signs a challenge that works once, for 5 minutes, in the browser that requested it, for one purpose and from a page of this server.',
  ),
  requirement(
    'sessions.passkey-refusals',
    'A passkey that is unknown, removed, of another user or origin, or copied is refused, and so is a user without a seat. Responses before that proof are the same for everyone.',
  ),
  requirement(
    'sessions.passkeys',
    'A user lists, renames and removes their own passkeys, 10 at most, and adds them in a browser only. The audit log of each of their accounts records additions and removals. No key can do this.',
  ),
  requirement(
    'sessions.programs',
    'A user of any role lists, pauses, resumes and ends the programs that they allowed, on a page that works without scripts and by `GET /programs`; the audit log names them, and what the programs hold is withdrawn.',
  ),
  requirement(
    'sessions.program-roles',
    'A program that signed in never has a scope that its user’s role, its access token, or programs in general lack: also on open connections, in sends that are being prepared, in what receivers of its webhooks get, and after a change of the role.',
  ),
]);

export const installationMail = section('Mail of the installation', [
  requirement(
    'installation-mail.parts',
    'Mail for users (approvals, invitations, sign-in, notices) is HTML and text with one button, plain reasons, the message quoted, bcc apart.',
  ),
]);

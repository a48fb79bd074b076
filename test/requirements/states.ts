import { requirement, section } from './requirement.ts';

export const states = section('States and transitions', [
  requirement('states.named', 'Message statuses named: `queued`, `delivered`, `bounced`.'),
  requirement('states.full-set', 'The full set of statuses: not specified.'),
  requirement(
    'states.accepted',
    '`POST /emails` accepted: passes the acceptance check, becomes `queued`. Returns the id; a worker delivers later.',
  ),
  requirement(
    'states.batch-item-accepted',
    'Batch item accepted: passes the acceptance check, becomes `queued`. Returns the id; a worker delivers later.',
  ),
  requirement(
    'states.removed',
    '`queued`, by `DELETE /emails/:id` or `POST /emails/:id/cancel`, when the message is still `queued`: removed. The message is deleted from the outbox before it reaches the mail provider.',
  ),
  requirement(
    'states.resent',
    'Any state, by `POST /emails/:id/resend`, when the issuing key is not revoked, the body is still stored, and the acceptance check passes: a new message in `queued`. The resend has its own event log.',
  ),
  requirement(
    'states.other-transitions',
    'Transitions of messages other than the rows above (queued to delivered, bounced and so on): not specified.',
  ),
  requirement(
    'states.domain-delete',
    '`DELETE /domains/:id`: the domain is removed from the account; its DKIM records are preserved in the domain history.',
  ),
  requirement(
    'states.domain-restore',
    '`POST /domains/:id/restore`: a removed domain is restored without new DNS keys.',
  ),
  requirement(
    'states.domain-verify',
    '`POST /domains/:id/verify`: live DNS lookup; per-record pass or fail with a reason. The set of verification statuses: not specified.',
  ),
  requirement('states.account-deletion', '`PATCH /account` can cancel a scheduled account deletion.'),
  requirement('states.webhook-replay', 'Webhook endpoint, replay: refused when the endpoint is disabled.'),
  requirement('states.key-revoked', 'API key, revoked: resend of a message issued by a revoked key is refused.'),
]);

import { randomUUID } from 'node:crypto';
import type { Message } from '@postrider/core';
import { type Html, html } from '../../../../html/page-markup.ts';
import { button } from '../../../../ui/components/button.ts';
import { textField } from '../../../../ui/components/field.ts';
import { confirmation } from '../../../../ui/components/surfaces.ts';
import type { PageRequest } from '../../page-request.ts';
import { LOG_PATH } from './message-log-state.ts';
import { isScheduled } from './message-words.ts';

/** What the user's role may do with a message in its state. Each asks before it is done. */
export function messageActions(message: Message, request: PageRequest): Html | null {
  const actions = [
    canReschedule(message, request) ? rescheduling(message, request) : null,
    canCancel(message, request) ? canceling(message) : null,
    canResend(message, request) ? resending(message) : null,
  ].filter((action) => action !== null);
  return actions.length === 0 ? null : html`${actions}`;
}

function canResend({ status, bodyExpired }: Message, request: PageRequest): boolean {
  return request.may('emails.resend') && !bodyExpired && !UNSENT.has(status);
}

/** Nothing was sent yet, or an approver decided that nothing is. */
const UNSENT: ReadonlySet<Message['status']> = new Set(['queued', 'pending_approval', 'rejected', 'expired']);

/** Only before any recipient's copy has left. */
function canCancel({ status, recipients }: Message, request: PageRequest): boolean {
  if (!request.may('emails.cancel')) return false;
  return status === 'pending_approval' || (status === 'queued' && recipients.every((one) => one.status === 'queued'));
}

function canReschedule(message: Message, request: PageRequest): boolean {
  return request.may('emails.reschedule') && isScheduled(message, request.now);
}

/** The hidden value makes a second press return the first result instead of a second message. */
function resending({ id, recipients }: Message): Html {
  const to = recipients.length === 1 ? (recipients[0]?.email ?? 'the recipient') : `${recipients.length} recipients`;
  return confirmation(
    'Resend',
    html`<form method="post" action="${LOG_PATH}/${id}/resend" class="stack-tight"><input type="hidden" name="once" value="${randomUUID()}">
<p>The same content is sent to <b>${to}</b> now, as a new message.</p>
<p class="small soft">It is sent under the key that sent this one, and checked like a new send. The rules of that key and those of your role apply, whichever is stricter. Suppressed addresses are refused, and it counts toward the quota.</p>${button('Resend now', { kind: 'primary' })}</form>`,
    { isDanger: false },
  );
}

function canceling({ id }: Message): Html {
  return confirmation(
    'Cancel',
    html`<form method="post" action="${LOG_PATH}/${id}/cancel" class="stack-tight"><p>Nothing is sent, and the content of the message is removed. This cannot be undone.</p>${button('Cancel the message', { kind: 'danger' })}</form>`,
  );
}

function rescheduling({ id, scheduledAt }: Message, { form }: PageRequest): Html {
  const value = form.get('at') ?? (scheduledAt ?? '').slice(0, 16);
  return confirmation(
    'Reschedule',
    html`<form method="post" action="${LOG_PATH}/${id}/reschedule" class="stack-tight">${textField({ name: 'at', label: 'New time, in UTC', type: 'datetime-local', value, isRequired: true })}
<div class="actions">${button('Change the time', { kind: 'primary' })}</div></form>
<form method="post" action="${LOG_PATH}/${id}/reschedule" class="stack-tight"><input type="hidden" name="now" value="true">${button('Send it now')}</form>`,
    { isDanger: false },
  );
}

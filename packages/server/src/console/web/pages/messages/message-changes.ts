import type { Problem } from '@postrider/core';
import { type PageResult, redirect } from '../../console-page.ts';
import type { PageRequest } from '../../page-request.ts';
import { LOG_PATH } from './message-log-state.ts';
import { overviewPage } from './message-page.ts';

/** Sends a message again, and shows the new one. */
export async function resend(request: PageRequest): Promise<PageResult> {
  const once = request.form.text('once');
  const result = await request.attempt('emails.resend', {
    params: { id: request.param('id') },
    headers: once === undefined ? {} : { 'idempotency-key': once },
  });
  if (!result.ok) return await refused(request, result.problem);
  const { id, status } = result.body;
  return redirect(
    `${LOG_PATH}/${id}`,
    status === 'pending_approval'
      ? 'The message was resent, and the new one waits for approval. This is the new one.'
      : 'The message was resent. This is the new one.',
  );
}

export async function cancel(request: PageRequest): Promise<PageResult> {
  const id = request.param('id');
  const result = await request.attempt('emails.cancel', { params: { id } });
  return result.ok
    ? redirect(`${LOG_PATH}/${id}`, 'The message was canceled.')
    : await refused(request, result.problem);
}

/** A time without an offset is in UTC, as the field says. */
export async function reschedule(request: PageRequest): Promise<PageResult> {
  const id = request.param('id');
  const at = request.form.has('now') ? request.now.toISOString() : inUtc(request.form.get('at') ?? '');
  const result = await request.attempt('emails.reschedule', { params: { id }, body: { scheduled_at: at } });
  if (!result.ok) return await refused(request, result.problem);
  return redirect(
    `${LOG_PATH}/${id}`,
    request.form.has('now') ? 'The message is sent now.' : 'The time of the message was changed.',
  );
}

async function refused(request: PageRequest, problem: Problem): Promise<PageResult> {
  // A message that does not exist has no page to show the problem on; this call then refuses the same way.
  const message = await request.call('emails.get', { params: { id: request.param('id') } });
  return await overviewPage(message, request, problem);
}

function inUtc(value: string): string {
  const text = value.trim();
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text)) return `${text}:00Z`;
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?$/.test(text) ? `${text}Z` : text;
}

import { rescheduleMessage } from '../../sending/change-queued.ts';
import { resolveSchedule } from '../../sending/content/schedule.ts';
import { deciderOf } from '../approvals/decider-of.ts';
import type { Handler } from '../context.ts';
import { assertChanged } from './assert-changed.ts';
import { toSendProblem } from './send-response.ts';

export const rescheduleEmail: Handler<'emails.reschedule'> = async ({ params, body }, context) => {
  const { caller } = context;
  const { database, installation } = context.services;
  const now = database.clock.now();
  const schedule = resolveSchedule(body.scheduled_at, now);
  if (!schedule.ok) throw toSendProblem({ kind: 'refused', ...schedule.refusal });
  // A message that is released at once is due from this moment on, and its record says so.
  const dueAt = schedule.at ?? now;
  const { retryHours } = installation;
  const tools = { ...database, retryHours };
  const verdict = await rescheduleMessage(tools, caller, params.id, dueAt, deciderOf(context));
  assertChanged(verdict, params.id);
  context.noteEmail(verdict.id);
  return { body: { id: verdict.id, status: 'queued', scheduledAt: dueAt.toISOString() } };
};

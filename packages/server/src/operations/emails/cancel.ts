import type { MessageStatus } from '@postrider/core';
import { cancelMessage } from '../../sending/change-queued.ts';
import { deciderOf } from '../approvals/decider-of.ts';
import type { Handler } from '../context.ts';
import { assertChanged } from './assert-changed.ts';

export const cancelEmail: Handler<'emails.cancel'> = async ({ params }, context) => {
  const { caller } = context;
  const { database, events } = context.services;
  const verdict = await cancelMessage(database, caller, params.id, deciderOf(context));
  assertChanged(verdict, params.id);
  context.noteEmail(verdict.id);
  events.waiter.notify([{ id: verdict.id, status: CANCELED }]);
  return { body: { id: verdict.id, status: CANCELED } };
};

const CANCELED = 'canceled' satisfies MessageStatus;

/** The same operation under its alternative spelling. */
export const deleteEmail: Handler<'emails.delete'> = (input, context) => cancelEmail({ ...input }, context);

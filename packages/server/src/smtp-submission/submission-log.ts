import { ERRORS } from '@postrider/core';
import type { SMTPServerSession } from 'smtp-server';
import type { LoggedRequest } from '../db/queries/request-log.ts';
import type { Caller } from '../keys/caller.ts';
import type { SmtpRefusal } from './smtp-refusal.ts';

/** An entry of the request log, as it takes them. */
export type SubmissionEntry = Omit<LoggedRequest, 'id' | 'createdAt'>;

/** One step of a session that the request log tells of. */
export interface LoggedStep {
  readonly session: SMTPServerSession;
  readonly caller: Caller;
  readonly name: 'MAIL' | 'RCPT' | 'DATA';
  /** By the monotonic clock, in milliseconds. */
  readonly began: number;
}

/** Tells the request log of messages, and of what was refused before they were there. */
export interface SubmissionLog {
  accepted(step: LoggedStep, emailId: string): void;
  refused(step: LoggedStep, refusal: SmtpRefusal): void;
}

/** Statuses are those that the same answer has over HTTP; the id is the session's, with the number of the message. */
export function createSubmissionLog(add: (entry: SubmissionEntry) => void): SubmissionLog {
  const entry = ({ session, caller, name, began }: LoggedStep) => ({
    accountId: caller.accountId,
    requestId: `smtp-${session.id}-${session.transaction}`,
    method: 'SMTP',
    path: name,
    durationMs: Math.round(performance.now() - began),
    keyId: caller.keyId,
  });
  return {
    accepted: (step, emailId) => add({ ...entry(step), status: 202, code: null, emailId }),
    refused: (step, { code }) =>
      add({ ...entry(step), status: code === null ? 422 : ERRORS[code].status, code, emailId: null }),
  };
}

import { ERRORS } from '@postrider/core';
import type { SMTPServerSession } from 'smtp-server';
import type { LoggedRequest } from '../db/queries/request-log.ts';
import type { Caller } from '../keys/caller.ts';
import type { SmtpRefusal } from './smtp-refusal.ts';

/** A request log entry, in the form that the log accepts. */
export type SubmissionEntry = Omit<LoggedRequest, 'id' | 'createdAt'>;

/** One step of a session that is logged. */
export interface LoggedStep {
  readonly session: SMTPServerSession;
  readonly caller: Caller;
  readonly name: 'MAIL' | 'RCPT' | 'DATA';
  /** From the monotonic clock, in milliseconds. */
  readonly began: number;
}

/** Logs messages, and commands that were rejected before there was a message. */
export interface SubmissionLog {
  accepted(step: LoggedStep, emailId: string): void;
  refused(step: LoggedStep, refusal: SmtpRefusal): void;
}

/** Statuses are those of the same result over HTTP. The id is the session's, with the number of the message. */
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

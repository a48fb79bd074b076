import { threadJob } from '../threads/thread-job.ts';
import { MessageFault } from './message-fault.ts';
import { type SubmittedSend, toSendRequest } from './to-send-request.ts';

export interface Submission {
  /** Lines end in CRLF. */
  readonly raw: Uint8Array;
  /** Strictly parsed addresses without duplicates. */
  readonly envelope: readonly string[];
}

export type ReadSubmission =
  | { readonly ok: true; readonly send: SubmittedSend }
  /** It cannot be parsed, or could not be passed on without loss. */
  | { readonly ok: false; readonly field: string; readonly message: string };

/** Parses a submitted message: up to 25 MB of parts, headers and encodings. */
export const READ_SUBMISSION = threadJob(import.meta.url, 'READ_SUBMISSION', readSubmission);

function readSubmission({ raw, envelope }: Submission): ReadSubmission {
  try {
    return { ok: true, send: toSendRequest(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength), envelope) };
  } catch (error) {
    if (!(error instanceof MessageFault)) throw error;
    return { ok: false, field: error.field, message: error.message };
  }
}

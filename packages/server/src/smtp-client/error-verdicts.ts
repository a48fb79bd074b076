import { BareLineEndingError } from './smtp-dot-stuffing.ts';
import { UnsafeEnvelopeError } from './smtp-message.ts';
import type { OutgoingMessage, RecipientVerdict } from './transport.ts';

/** Refuses a message that can never be sent, since another attempt would fail the same way; any unexpected error is retried. */
export function toErrorVerdicts(outgoing: OutgoingMessage, error: unknown): readonly RecipientVerdict[] {
  const isHopeless = error instanceof UnsafeEnvelopeError || error instanceof BareLineEndingError;
  const outcome = isHopeless ? 'refused' : 'deferred';
  const reason = isHopeless ? error.message : 'The message could not be sent because of an internal error.';
  return outgoing.recipients.map((recipient) => {
    return { recipient, outcome, reply: null, reason, ambiguous: false, isOurFault: true };
  });
}

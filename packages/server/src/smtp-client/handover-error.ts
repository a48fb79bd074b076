import { BareLineEndingError } from './smtp-dot-stuffing.ts';
import { UnsafeEnvelopeError } from './smtp-message.ts';
import type { Handover, HandoverVerdict } from './transport.ts';

/** A message that may never go out is refused, since no other attempt would end otherwise; anything unforeseen is tried again. */
export function judgeHandoverError(handover: Handover, error: unknown): readonly HandoverVerdict[] {
  const isHopeless = error instanceof UnsafeEnvelopeError || error instanceof BareLineEndingError;
  const outcome = isHopeless ? 'refused' : 'deferred';
  const reason = isHopeless ? error.message : 'The message could not be handed over because of an error of ours.';
  return handover.recipients.map((recipient) => {
    return { recipient, outcome, reply: null, reason, ambiguous: false, isOurFault: true };
  });
}

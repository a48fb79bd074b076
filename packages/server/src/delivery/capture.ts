import type { OutgoingMessage, Transport } from '../smtp-client/transport.ts';

/** Stores captured messages; in production, in the database. */
export type StoreCaptured = (outgoing: OutgoingMessage) => Promise<void>;

/** The default transport of a new installation: nothing is sent, and every message can be read in the development mailbox. */
export function createCaptureTransport(store: StoreCaptured): Transport {
  return {
    name: 'capture',
    acceptedMeans: 'delivered',
    send: async (outgoing) => {
      try {
        await store(outgoing);
        return outgoing.recipients.map((recipient) => ({
          recipient,
          outcome: 'accepted' as const,
          reply: { code: 250, enhanced: '2.0.0', text: '2.0.0 Captured', server: 'capture' },
          reason: 'captured',
          ambiguous: false,
        }));
      } catch (error) {
        const reason = `The message could not be captured: ${error instanceof Error ? error.message : String(error)}`;
        return outgoing.recipients.map((recipient) => ({
          recipient,
          outcome: 'deferred' as const,
          reply: null,
          reason,
          ambiguous: false,
        }));
      }
    },
    check: () => Promise.resolve({ ok: true, reason: null }),
    abort: () => undefined,
    close: () => Promise.resolve(),
  };
}

import type { Transport } from '../smtp-client/transport.ts';

/** Transports that accept nothing more once they are cut off: a message may still have been in composition then. */
export function closable(
  transports: ReadonlyMap<string, Transport>,
  isCut: () => boolean,
): ReadonlyMap<string, Transport> {
  const close = (transport: Transport): Transport => ({
    ...transport,
    send: async (outgoing) => {
      if (!isCut()) return await transport.send(outgoing);
      const reason = 'This process is shutting down.';
      return outgoing.recipients.map((recipient) => {
        return { recipient, outcome: 'deferred' as const, reply: null, reason, ambiguous: false };
      });
    },
  });
  return new Map([...transports].map(([route, transport]) => [route, close(transport)]));
}

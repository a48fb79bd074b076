import type { Transport } from '../smtp-client/transport.ts';

/** Transports that send nothing after they are cut off, because a message may still be in composition at that time. */
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

import type { RecipientVerdict, Transport } from '../smtp-client/transport.ts';

/** The note in the event log for a message that was only simulated. */
const DETAIL = 'simulated';

/** The transport of test keys: it accepts everything and sends nothing. */
export function createSimulatedTransport(): Transport {
  return {
    name: 'simulated',
    acceptedMeans: 'delivered',
    isSimulated: true,
    send: ({ recipients }) => Promise.resolve(recipients.map(accept)),
    check: () => Promise.resolve({ ok: true, reason: null }),
    abort: () => undefined,
    close: () => Promise.resolve(),
  };
}

function accept(recipient: string): RecipientVerdict {
  return { recipient, outcome: 'accepted', reply: null, reason: DETAIL, ambiguous: false, deliveredDetail: DETAIL };
}

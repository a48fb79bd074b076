import type { RecipientVerdict, Transport } from '../smtp-client/transport.ts';

/** What the trail says of a message that was only supposed to be delivered. */
const DETAIL = 'simulated';

/** The transport of test keys: everything is taken and nothing goes anywhere. */
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

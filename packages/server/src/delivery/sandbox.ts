import type { RecipientVerdict, Transport } from '../smtp-client/transport.ts';

/** The test addresses, by local part before an optional `+label`, and the result of a delivery attempt to each. */
const TEST_ADDRESSES: Readonly<Record<string, (recipient: string, attempt: number) => RecipientVerdict>> = {
  delivered: (recipient) => accept(recipient),
  complained: (recipient) => ({ ...accept(recipient), complaint: true }),
  deferred: (recipient, attempt) => (attempt === 1 ? defer(recipient) : accept(recipient)),
  bounced: (recipient) => refuse(recipient, 'hard', 550, '5.1.1', 'The address does not exist (test address)'),
  soft: (recipient) => refuse(recipient, 'soft', 552, '5.2.2', 'The mailbox is full (test address)'),
  blocked: (recipient) => refuse(recipient, 'block', 550, '5.7.1', 'Refused by policy (test address)'),
};

/**
 * The transport of the sandbox domain: nothing is sent and every outcome is predictable. Any other address there is an
 * existing mailbox that accepts everything. If messages are captured, those that the sandbox accepts can be read in the
 * same mailbox.
 */
export function createSandboxTransport(mailbox: Transport | null): Transport {
  return {
    name: 'sandbox',
    acceptedMeans: 'delivered',
    isSimulated: true,
    send: async (outgoing) => {
      const verdicts = outgoing.recipients.map((recipient) => decideSandboxVerdict(recipient, outgoing.attempt));
      const accepted = verdicts.filter(({ outcome }) => outcome === 'accepted').map(({ recipient }) => recipient);
      if (mailbox === null || accepted.length === 0) return verdicts;
      const kept = (await mailbox.send({ ...outgoing, recipients: accepted })).values();
      return verdicts.map((verdict) =>
        verdict.outcome === 'accepted' ? orPutOff(verdict, kept.next().value) : verdict,
      );
    },
    check: () => Promise.resolve({ ok: true, reason: null }),
    abort: () => undefined,
    close: () => Promise.resolve(),
  };
}

/** A message that the mailbox did not store was not delivered, whatever the address means: it is retried like any other. */
function orPutOff(verdict: RecipientVerdict, kept: RecipientVerdict | undefined): RecipientVerdict {
  return kept === undefined || kept.outcome === 'accepted' ? verdict : kept;
}

/** The result of a delivery attempt to an address of the sandbox domain, by its local part and the number of the attempt. */
export function decideSandboxVerdict(recipient: string, attempt: number): RecipientVerdict {
  const local = recipient.slice(0, recipient.lastIndexOf('@')).toLowerCase();
  const name = local.split('+', 1)[0] ?? local;
  const decide = Object.hasOwn(TEST_ADDRESSES, name) ? TEST_ADDRESSES[name] : undefined;
  return decide === undefined ? accept(recipient) : decide(recipient, attempt);
}

function accept(recipient: string): RecipientVerdict {
  const reply = { code: 250, enhanced: '2.0.0', text: '2.0.0 Accepted by the sandbox', server: 'sandbox' };
  return { recipient, outcome: 'accepted', reply, reason: 'accepted', ambiguous: false };
}

function defer(recipient: string): RecipientVerdict {
  const reply = { code: 451, enhanced: '4.3.0', text: '4.3.0 Try again at once (test address)', server: 'sandbox' };
  return { recipient, outcome: 'deferred', reply, reason: 'deferred', ambiguous: false, retryAtOnce: true };
}

function refuse(
  recipient: string,
  classification: 'hard' | 'soft' | 'block',
  code: number,
  enhanced: string,
  text: string,
): RecipientVerdict {
  const reply = { code, enhanced, text: `${enhanced} ${text}`, server: 'sandbox' };
  return { recipient, outcome: 'refused', reply, reason: 'refused', ambiguous: false, classification };
}

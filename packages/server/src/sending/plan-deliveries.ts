/** The route of test addresses; nothing on it leaves the installation. */
export const SANDBOX_ROUTE = 'sandbox';
/** The route of what test keys send to anybody else; nothing on it goes anywhere. */
export const SIMULATED_ROUTE = 'simulated';
/** The route of everything else, whatever the transport setting makes of it. */
export const OUTBOUND_ROUTE = 'outbound';

export interface PlannedDelivery {
  readonly route: string;
  /** The domain of its recipients, where each domain goes its own way; else empty. */
  readonly destination: string;
  readonly ordinals: readonly number[];
}

type Recipient = { readonly ordinal: number; readonly email: string };

/**
 * Groups a message's recipients by the way they go: one delivery attempt each for the sandbox's and for all others, or for each domain.
 * @param isPersonal whether the message names its reader, so that each recipient gets a copy and a delivery attempt of their own.
 * @param byDomain whether whoever takes the delivery attempts goes to the mail servers of one domain with each.
 * @param isTest whether a test key sends it, and then nothing leaves.
 */
export function planDeliveries(
  recipients: readonly Recipient[],
  sandboxDomain: string,
  isPersonal = false,
  byDomain = false,
  isTest = false,
): readonly PlannedDelivery[] {
  const planned = new Map<string, { route: string; destination: string; ordinals: number[] }>();
  const isSandboxed = ({ email }: Recipient) => isSandboxAddress(email, sandboxDomain);
  const add = (recipient: Recipient) => {
    const route = isSandboxed(recipient) ? SANDBOX_ROUTE : isTest ? SIMULATED_ROUTE : OUTBOUND_ROUTE;
    // What is only simulated does not wait where the true servers of its domain take nothing at present.
    const domain = route === SIMULATED_ROUTE ? sandboxDomain : domainOf(recipient.email);
    const destination = byDomain ? domain : '';
    const name = isPersonal ? String(recipient.ordinal) : `${route} ${destination}`;
    const delivery = planned.get(name);
    if (delivery === undefined) planned.set(name, { route, destination, ordinals: [recipient.ordinal] });
    else delivery.ordinals.push(recipient.ordinal);
  };
  if (isPersonal || byDomain) recipients.forEach(add);
  else [...recipients.filter((one) => !isSandboxed(one)), ...recipients.filter(isSandboxed)].forEach(add);
  return [...planned.values()];
}

/** The domain of a checked address: lower case, A-labels. */
function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase();
}

export function isSandboxAddress(email: string, sandboxDomain: string): boolean {
  return email.endsWith(`@${sandboxDomain}`);
}

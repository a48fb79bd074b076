/** The route of test addresses; its mail never leaves the installation. */
export const SANDBOX_ROUTE = 'sandbox';
/** The route of mail from test keys to all other addresses; its mail is never delivered. */
export const SIMULATED_ROUTE = 'simulated';
/** The route of all other mail, whichever transport is configured. */
export const OUTBOUND_ROUTE = 'outbound';

export interface PlannedDelivery {
  readonly route: string;
  /** The domain of its recipients if each domain is delivered separately; otherwise empty. */
  readonly destination: string;
  readonly ordinals: readonly number[];
}

type Recipient = { readonly ordinal: number; readonly email: string };

/**
 * Groups a message's recipients by route: one delivery attempt for the sandbox and one for all others, or one for each domain.
 * @param isPersonal whether the message differs by recipient, so that each one gets a separate copy and delivery attempt.
 * @param byDomain whether the transport delivers each attempt to the mail servers of a single domain.
 * @param isTest whether a test key sends it, so that nothing leaves the installation.
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
    // A simulated delivery does not wait when the real servers of its domain are unavailable.
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

/** The domain of a validated address: lower case, A-labels. */
function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase();
}

export function isSandboxAddress(email: string, sandboxDomain: string): boolean {
  return email.endsWith(`@${sandboxDomain}`);
}

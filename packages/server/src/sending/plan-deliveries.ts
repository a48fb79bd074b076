/** The route of test addresses; nothing on it leaves the installation. */
export const SANDBOX_ROUTE = 'sandbox';
/** The route of everything else, whatever the transport setting makes of it. */
export const OUTBOUND_ROUTE = 'outbound';

export interface PlannedDelivery {
  readonly route: string;
  readonly ordinals: readonly number[];
}

/**
 * Groups a message's recipients by the way they go: one hand-off each for the sandbox's and for all others.
 * @param isPersonal whether the message names its reader, so that each recipient gets a copy and a hand-off of their own.
 */
export function planDeliveries(
  recipients: readonly { readonly ordinal: number; readonly email: string }[],
  sandboxDomain: string,
  isPersonal = false,
): readonly PlannedDelivery[] {
  if (isPersonal) {
    return recipients.map(({ ordinal, email }) => {
      const route = isSandboxAddress(email, sandboxDomain) ? SANDBOX_ROUTE : OUTBOUND_ROUTE;
      return { route, ordinals: [ordinal] };
    });
  }
  const sandboxed = recipients.filter(({ email }) => isSandboxAddress(email, sandboxDomain));
  const outbound = recipients.filter(({ email }) => !isSandboxAddress(email, sandboxDomain));
  return [
    { route: OUTBOUND_ROUTE, ordinals: outbound.map(({ ordinal }) => ordinal) },
    { route: SANDBOX_ROUTE, ordinals: sandboxed.map(({ ordinal }) => ordinal) },
  ].filter(({ ordinals }) => ordinals.length > 0);
}

export function isSandboxAddress(email: string, sandboxDomain: string): boolean {
  return email.endsWith(`@${sandboxDomain}`);
}

import type { Approvers } from '@postrider/core';
import { relyingPartyOf } from '../auth/passkeys/relying-party.ts';
import { validationFailed } from './parse-part.ts';

/** With a base URL that has no passkeys, a rule that needs them would leave everything held until it expires. */
export function assertPasskeysWork(
  given: { readonly [Name in keyof Approvers]?: Approvers[Name] | undefined } | null | undefined,
  { baseUrl }: { readonly baseUrl: string },
): void {
  if (given?.requirePasskey !== true || relyingPartyOf(baseUrl) !== null) return;
  const message = 'needs a base URL with a host name: passkeys do not work with an IP address';
  throw validationFailed([{ path: 'approvers.requirePasskey', code: 'conflict', message }]);
}

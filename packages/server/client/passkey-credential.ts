/** Whether the browser has passkeys and shows the page under the name that they are bound to. */
export function canUsePasskeys(host: string | undefined): boolean {
  return (
    typeof PublicKeyCredential === 'function' &&
    'parseRequestOptionsFromJSON' in PublicKeyCredential &&
    'parseCreationOptionsFromJSON' in PublicKeyCredential &&
    location.hostname === host
  );
}

/** Asks the user for a passkey, and returns its signature. */
export async function askForPasskey(options: unknown): Promise<unknown> {
  // The server makes the options in the form that browsers define.
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON);
  return toJson(await navigator.credentials.get({ publicKey }));
}

export function toJson(credential: Credential | null): unknown {
  if (!(credential instanceof PublicKeyCredential)) throw new Error('The browser returned no passkey.');
  return credential.toJSON();
}

/** Why no passkey was used, in words. */
export function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return 'This did not work. Try again.';
  switch (error.name) {
    case 'NotAllowedError':
      return 'No passkey was used. Try again, or use another way.';
    case 'InvalidStateError':
      return 'This device or password manager already has a passkey for you here.';
    case 'SecurityError':
      return 'Passkeys do not work at this address of the server.';
    case 'TypeError':
      return 'The server does not respond. Try again.';
    default:
      return error.message;
  }
}

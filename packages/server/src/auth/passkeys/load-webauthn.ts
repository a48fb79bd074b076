/** Loaded on first use: its parsers of certificates, which are not used here, would make every start 0.2 s longer. */
export async function loadWebauthn() {
  return await import('@simplewebauthn/server');
}

/** As above. */
export async function loadWebauthnHelpers() {
  return await import('@simplewebauthn/server/helpers');
}

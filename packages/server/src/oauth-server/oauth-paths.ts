/** The paths of the authorization server. Programs read them from its metadata (RFC 8414), so they have no version. */
export const OAUTH_PATHS = {
  authorization: '/oauth/authorize',
  /** The page on which the user decides. */
  consent: '/oauth/consent',
  token: '/oauth/token',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
} as const;

/** The metadata of the authorization server (RFC 8414). */
export const SERVER_METADATA_PATH = '/.well-known/oauth-authorization-server';

/** The metadata of the protected resource (RFC 9728), followed by the path of the resource. */
export const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource';

/** The path of `POST /mcp` as a request named it. */
export function mcpPathOf(url: string): string {
  return url.startsWith('/v1/') ? '/v1/mcp' : '/mcp';
}

/** The paths of `POST /mcp`; the first is its name. */
export function mcpPaths(): readonly string[] {
  return ['/mcp', '/v1/mcp'];
}

/** The addresses under which programs know it. Some end an address with a slash. */
export function mcpResources(baseUrl: string): readonly string[] {
  return mcpPaths().flatMap((path) => [`${baseUrl}${path}`, `${baseUrl}${path}/`]);
}

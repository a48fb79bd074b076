import { FIRST_PROGRAM_SCOPES } from '@postrider/core';
import { RESOURCE_METADATA_PATH } from './oauth-paths.ts';

export interface Challenge {
  /** The error of RFC 6750, section 3.1; none if the request had no credentials. */
  readonly error?: 'invalid_token' | 'insufficient_scope';
  readonly description?: string;
  readonly scopes?: readonly string[];
}

/** `WWW-Authenticate` of a refusal at `POST /mcp`: where a program learns how to sign in. */
export function mcpChallenge(
  baseUrl: string,
  path: string,
  { error, description, scopes = FIRST_PROGRAM_SCOPES }: Challenge,
): string {
  const parameters = [
    ...(error === undefined ? [] : [['error', error]]),
    ...(description === undefined ? [] : [['error_description', description.replaceAll(/[^\x20-\x7e]|["\\]/g, "'")]]),
    ['resource_metadata', `${baseUrl}${RESOURCE_METADATA_PATH}${path}`],
    ['scope', scopes.join(' ')],
  ];
  return `Bearer realm="postrider", ${parameters.map(([name, value]) => `${name}="${value}"`).join(', ')}`;
}

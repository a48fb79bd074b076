import { FIRST_PROGRAM_SCOPES, PROGRAM_SCOPES } from '@postrider/core';
import { OAUTH_PATHS } from '../oauth-paths.ts';

/** The metadata of the authorization server (RFC 8414). */
export function serverMetadata(baseUrl: string, fetchesMetadata: boolean) {
  const at = (path: string) => `${baseUrl}${path}`;
  return {
    issuer: baseUrl,
    authorization_endpoint: at(OAUTH_PATHS.authorization),
    token_endpoint: at(OAUTH_PATHS.token),
    registration_endpoint: at(OAUTH_PATHS.registration),
    revocation_endpoint: at(OAUTH_PATHS.revocation),
    scopes_supported: PROGRAM_SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: fetchesMetadata,
    service_documentation: `${baseUrl}/reference`,
  };
}

/** The metadata of `POST /mcp` as a protected resource (RFC 9728). */
export function resourceMetadata(baseUrl: string, path: string) {
  const resource = `${baseUrl}${path}`;
  return {
    resource,
    authorization_servers: [baseUrl],
    scopes_supported: FIRST_PROGRAM_SCOPES,
    bearer_methods_supported: ['header'],
    resource_name: 'Postrider',
    resource_documentation: `${baseUrl}/reference`,
  };
}

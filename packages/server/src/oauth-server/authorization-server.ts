import { generateKeyPairSync, hkdfSync } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import { LIMITS, PROGRAM_SCOPES } from '@postrider/core';
import Provider, { type Configuration, errors, interactionPolicy } from 'oidc-provider';
import { createToken } from '../keys/api-key.ts';
import type { OutboundClient } from '../outbound/outbound-client.ts';
import { SCRIPTLESS_PAGE_POLICY } from '../ui/page-document.ts';
import { isOwnOrigin } from './client-metadata.ts';
import { createMetadataFetch } from './fetch-client-metadata.ts';
import { createOAuthAdapter, type OAuthStore } from './oauth-adapter.ts';
import { OAUTH_PATHS } from './oauth-paths.ts';

export interface AuthorizationServerOptions extends OAuthStore {
  readonly baseUrl: string;
  readonly http: Pick<OutboundClient, 'request'>;
  /** Whether programs can name themselves by the URL of metadata that they publish. */
  readonly fetchesMetadata: boolean;
  /** The secret keys of the installation, the current one first. */
  readonly secretKeys: readonly Buffer[];
  /** Counts a fetch of metadata for the address of the request. Returns false if it has used its limit. */
  readonly countFetch: (address: string) => Promise<boolean>;
  /** Renders an error for the user, who can return to the program with it. */
  readonly renderReturn: (url: URL) => string;
  /** Renders an error for the user, if the program cannot be notified of it. */
  readonly renderError: (title: string, detail: string) => string;
  readonly onError: (error: unknown, what: string) => void;
}

export type AuthorizationServer = Provider;

/**
 * The OAuth 2.1 authorization server for programs that use `POST /mcp`, based on oidc-provider: authorization code with PKCE, resource
 * indicators (RFC 8707), `iss` in responses (RFC 9207), client ID metadata documents, dynamic registration (RFC 7591), rotating refresh
 * tokens, revocation (RFC 7009). It issues no ID tokens: it says what a program may do, and not who the user is.
 */
export function createAuthorizationServer(options: AuthorizationServerOptions): AuthorizationServer {
  const { baseUrl } = options;
  const oauthAdapter = createOAuthAdapter(options);
  const provider = new Provider(baseUrl, {
    ...{ adapter: oauthAdapter, routes: routesOf(), ttl: LIFETIMES, scopes: [] },
    ...{ responseTypes: ['code'], claims: {}, clientAuthMethods: ['none'] },
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
      id_token_signed_response_alg: 'ES256',
    },
    // Never used: tokens are opaque.
    jwks: {
      keys: [
        {
          ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }),
          alg: 'ES256',
          use: 'sig',
        },
      ],
    },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    cookies: cookiesOf(options),
    allowOmittingSingleRegisteredRedirectUri: false,
    pkce: { required: () => true },
    expiresWithSession: () => false,
    issueRefreshToken: () => Promise.resolve(true),
    rotateRefreshToken: true,
    // Every end of a grant ends all its tokens; the key of the grant stays.
    revokeGrantPolicy: () => true,
    findAccount: (_context, subject) => ({ accountId: subject, claims: () => ({ sub: subject }) }),
    loadExistingGrant: async ({ oidc }) => {
      const consent: unknown = oidc.result?.['consent'];
      const grantId = isRecord(consent) ? consent['grantId'] : null;
      return typeof grantId === 'string' ? await oidc.provider.Grant.find(grantId) : undefined;
    },
    interactions: {
      policy: alwaysAsk(),
      url: async ({ oidc: { client } }, { uid }) => {
        // What the user decides about is what gets the tokens, in every process.
        if (client?.clientId.startsWith('https://'))
          await oauthAdapter('Client').upsert(client.clientId, client.metadata());
        return `${OAUTH_PATHS.consent}/${uid}`;
      },
    },
    fetch: createMetadataFetch(options.http, baseUrl),
    features: featuresOf(options),
    renderError: (context, out) => {
      context.type = 'html';
      context.set('content-security-policy', SCRIPTLESS_PAGE_POLICY);
      context.set('referrer-policy', 'same-origin');
      context.body = options.renderError(titleOf(out.error), `${sentenceOf(out)} Start again in the program.`);
    },
  } as Configuration);
  provider.proxy = true; // The routes set the headers to those of the base URL.
  // Their types do not declare the method. Tokens get the form of keys, so that secret scanners find them and junk never reaches the database.
  Object.assign(provider.AccessToken.prototype, {
    generateTokenId(this: { format?: string }) {
      this.format = 'opaque';
      return createToken('access');
    },
  });
  Object.assign(provider.RefreshToken.prototype, { generateTokenId: () => createToken('refresh') });
  neverReturnHere(provider, baseUrl);
  provider.use(returnOnlyWithUser(options));
  // Koa emits it, and would print errors on the console.
  const application: EventEmitter = provider;
  application.on('error', (error: Error) => options.onError(error, 'an OAuth request'));
  provider.on('server_error', (_context, error: Error) => options.onError(error, 'an OAuth request'));
  return provider;
}

/** Seconds. A refresh token that is not used for this long ends. Keys have their own end. */
const LIFETIMES = {
  AccessToken: LIMITS.accessTokenSeconds,
  AuthorizationCode: 60,
  Grant: 400 * 86_400,
  Interaction: 3_600,
  RefreshToken: 90 * 86_400,
  Session: 3_600,
} as const;

function routesOf(): Configuration['routes'] {
  const { authorization, token, registration, revocation } = OAUTH_PATHS;
  return {
    authorization,
    token,
    registration,
    revocation,
    jwks: '/oauth/unused/jwks',
    end_session: '/oauth/unused/end',
  };
}

function cookiesOf({ secretKeys, baseUrl }: AuthorizationServerOptions): Configuration['cookies'] {
  const secure = new URL(baseUrl).protocol === 'https:';
  const kept = { httpOnly: true, sameSite: 'lax', secure, signed: true } as const;
  return {
    names: { interaction: 'oauth_request', resume: 'oauth_resume', session: 'oauth_session' },
    keys: secretKeys.map((key) => Buffer.from(hkdfSync('sha256', key, '', 'oauth cookies', 32)).toString('base64url')),
    ...{ short: kept, long: kept },
  };
}

/** Every request asks the user, also for a program that they allowed before: the page decides what it may do. */
function alwaysAsk(): Configuration['interactions'] extends { policy?: infer Policy } | undefined ? Policy : never {
  const { Prompt, Check } = interactionPolicy;
  const ask = new Check('ask_user', 'the user decides about every request', 'interaction_required', ({ oidc }) => {
    if (oidc.result?.['consent'] !== undefined) return Check.NO_NEED_TO_PROMPT;
    const names = String(oidc.params?.['scope'] ?? '').split(' ');
    if (PROGRAM_SCOPES.some((scope) => names.includes(scope))) return Check.REQUEST_PROMPT;
    throw new errors.InvalidScope('a program cannot get any of these scopes: request some of `scopes_supported`', '');
  });

  // Programs may also request these by name; they change nothing.
  return [new Prompt({ name: 'consent', requestable: true }, ask), new Prompt({ name: 'login', requestable: true })];
}

function featuresOf({ resources, countFetch, fetchesMetadata }: AuthorizationServerOptions): Configuration['features'] {
  return {
    ...{ devInteractions: { enabled: false }, userinfo: { enabled: false }, rpInitiatedLogout: { enabled: false } },
    ...{
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      claimsParameter: { enabled: false },
    },
    revocation: { enabled: true, allowedPolicy: (_context, client, token) => token.clientId === client.clientId },
    registration: { enabled: true, issueRegistrationAccessToken: false },
    clientIdMetadataDocument: {
      enabled: fetchesMetadata,
      ack: 'draft-02',
      allowFetch: async (context) => {
        // Elsewhere, programs are read as they were stored when their user was asked.
        if (context?.oidc?.route !== 'authorization') return false;
        if (await countFetch(context.ip)) return true;
        const why = 'the details of too many programs were requested from this address: try again in a minute';
        throw new errors.CustomOIDCProviderError('temporarily_unavailable', why);
      },
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: (_context, _client, oneOf) => oneOf?.[0] ?? resources[0] ?? '',
      useGrantedResource: () => true,
      getResourceServerInfo: (_context, resource) => {
        if (!resources.includes(resource))
          throw new errors.InvalidTarget(`the resource of this server is ${resources[0]}`);
        return {
          ...{ scope: PROGRAM_SCOPES.join(' '), audience: resource, accessTokenFormat: 'opaque' },
          accessTokenTTL: LIMITS.accessTokenSeconds,
        };
      },
    },
  };
}

/**
 * Metadata cannot name a redirect URI of this server. A request may name any port for a loopback address (RFC 8252, section 7.3), so
 * the port that it names is checked too.
 */
function neverReturnHere({ Client }: Provider, baseUrl: string): void {
  const isRegistered = Client.prototype.redirectUriAllowed;
  Object.assign(Client.prototype, {
    redirectUriAllowed(this: typeof Client.prototype, uri: string): boolean {
      const url = URL.parse(uri);
      return url !== null && !isOwnOrigin(url, baseUrl) && isRegistered.call(this, uri);
    },
  });
}

/**
 * Anyone can register a program, so a request that no user has decided must not send the browser to another site: the server would be an open
 * redirector (RFC 9700, section 4.11). The user follows a link instead. Results for a program on the user's own machine return at once.
 */
function returnOnlyWithUser({ renderReturn }: AuthorizationServerOptions): Parameters<Provider['use']>[0] {
  return async (context, next) => {
    await next();
    const location = String(context.response.headers['location'] ?? '');
    if (context.oidc?.route !== 'authorization' || location === '' || location.startsWith('/')) return;
    const url = new URL(location);
    if (['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)) return;
    context.remove('location');
    context.status = 400;
    context.type = 'html';
    context.set('content-security-policy', SCRIPTLESS_PAGE_POLICY);
    context.body = renderReturn(url);
  };
}

/** The library's description as a sentence. */
function sentenceOf({
  error_description: text = 'the request is not valid',
}: {
  readonly error_description?: string | undefined;
}): string {
  if (text.startsWith('client_id metadata document')) {
    return 'The details of the program could not be fetched from the address that names it, or are not valid.';
  }
  if (text === 'client is invalid') return 'The program is not known here, or its registration has ended.';
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function titleOf(error: string): string {
  return error === 'access_denied' ? 'Access was denied' : 'The program cannot sign in';
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

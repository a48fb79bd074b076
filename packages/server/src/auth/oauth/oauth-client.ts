import * as oidc from 'openid-client';
import type { OAuthSetting } from '../../config/setting-values.ts';
import type { OutboundClient } from '../../outbound/outbound-client.ts';
import type { Arrival } from '../sign-in.ts';
import { readGithubUser } from './github-user.ts';
import { toProviderAddress, toProviderName } from './provider-claims.ts';

/** The state of a started sign-in at a provider, kept sealed in the browser until the user returns. */
export interface OAuthAttempt {
  readonly provider: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly next: string | null;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly expiresAtMs: number;
}

export interface OAuthProvider {
  readonly setting: OAuthSetting;
  /**
   * Returns the URL of the provider's sign-in page, and the values to keep until the user returns.
   * @throws if the provider is unreachable
   */
  begin(): Promise<{ readonly url: string; readonly attempt: Pick<OAuthAttempt, 'state' | 'nonce' | 'verifier'> }>;
  /**
   * Returns the user who signed in.
   * @throws if the response does not match the request: wrong state, issuer, nonce or signature, or an unknown code
   */
  finish(query: string, attempt: OAuthAttempt): Promise<Arrival>;
}

/** Providers' documents are small; the key sets of large ones reach a few kilobytes. */
const MAX_BYTES = 256 * 1024;
/** How long a provider's discovery document is cached. */
const DISCOVERY_MS = 3_600_000;

export interface OAuthClientOptions {
  readonly setting: OAuthSetting;
  readonly baseUrl: string;
  readonly http: Pick<OutboundClient, 'request'>;
  readonly nowMs: () => number;
}

/**
 * A client of one provider, based on openid-client, which checks state, issuer, PKCE, nonce and the ID token's signature. Each provider has
 * its own redirect URI, so that a response from one cannot be passed off as another's (RFC 9700, section 4.4.2).
 */
export function createOAuthProvider({ setting, baseUrl, http, nowMs }: OAuthClientOptions): OAuthProvider {
  const redirectUri = `${baseUrl}/auth/oauth/${setting.name}/callback`;
  const fetch = guardedFetch(http);
  let known: { readonly configuration: Promise<oidc.Configuration>; readonly untilMs: number } | null = null;

  function configure(): Promise<oidc.Configuration> {
    if (known !== null && known.untilMs > nowMs()) return known.configuration;
    const configuration =
      setting.kind === 'github' ? Promise.resolve(configureGithub(setting)) : discover(setting, fetch);
    const prepared = configuration.then((made) => {
      made[oidc.customFetch] = fetch;
      // The outbound guard decides whether plain HTTP is allowed for this address.
      if (isPlain(setting.issuer)) oidc.allowInsecureRequests(made);
      return made;
    });
    known = { configuration: prepared, untilMs: nowMs() + DISCOVERY_MS };
    prepared.catch(() => {
      known = null;
    });
    return prepared;
  }

  return {
    setting,
    async begin() {
      const configuration = await configure();
      const [state, nonce, verifier] = [oidc.randomState(), oidc.randomNonce(), oidc.randomPKCECodeVerifier()];
      const url = oidc.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: setting.kind === 'github' ? 'read:user user:email' : 'openid email profile',
        state,
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(setting.kind === 'github' ? {} : { nonce }),
      });
      return { url: url.href, attempt: { state, nonce, verifier } };
    },
    async finish(query, { state, nonce, verifier }) {
      const configuration = await configure();
      const checks = { pkceCodeVerifier: verifier, expectedState: state };
      const isOidc = setting.kind === 'oidc';
      const tokens = await oidc.authorizationCodeGrant(
        configuration,
        new URL(`${redirectUri}${query}`),
        isOidc ? { ...checks, expectedNonce: nonce, idTokenExpected: true } : checks,
      );
      if (!isOidc) return await readGithubUser(configuration, setting, tokens.access_token);
      const claims = tokens.claims();
      if (claims === undefined) throw new Error('the provider returned no ID token');
      const info: Readonly<Record<string, unknown>> =
        claims['email'] === undefined ? await askUser(configuration, tokens.access_token, claims.sub) : claims;
      return {
        ...{ email: verifiedEmail(info), name: toProviderName(info['name']) },
        identity: { issuer: claims.iss, subject: claims.sub },
        how: `oauth:${setting.name}`,
      };
    },
  };
}

/** Only an address that the provider has verified proves whose it is. */
function verifiedEmail(claims: Readonly<Record<string, unknown>>): string | null {
  return claims['email_verified'] === true ? toProviderAddress(claims['email']) : null;
}

/** Some providers return user data only from the userinfo endpoint. */
async function askUser(configuration: oidc.Configuration, accessToken: string, subject: string) {
  if (configuration.serverMetadata().userinfo_endpoint === undefined) return {};
  return await oidc.fetchUserInfo(configuration, accessToken, subject);
}

async function discover(setting: OAuthSetting, fetch: oidc.CustomFetch): Promise<oidc.Configuration> {
  const { clientId, clientSecret } = setting;
  return await oidc.discovery(new URL(setting.issuer), clientId, clientSecret, undefined, {
    [oidc.customFetch]: fetch,
    execute: isPlain(setting.issuer) ? [oidc.allowInsecureRequests] : [],
  });
}

/** GitHub offers OAuth without OpenID Connect: it has no discovery document and returns no ID token. */
function configureGithub({ issuer, clientId, clientSecret }: OAuthSetting): oidc.Configuration {
  const server = {
    issuer,
    authorization_endpoint: `${issuer}/login/oauth/authorize`,
    token_endpoint: `${issuer}/login/oauth/access_token`,
  };
  return new oidc.Configuration(server, clientId, clientSecret);
}

function isPlain(url: string): boolean {
  return new URL(url).protocol === 'http:';
}

/** Sends the requests through the outbound client, like all requests to addresses from settings or strangers. */
function guardedFetch(http: Pick<OutboundClient, 'request'>): oidc.CustomFetch {
  return async (url, { method, headers, body }) => {
    const response = await http.request({
      ...{ url, method: method === 'POST' ? 'POST' : 'GET', headers: { ...headers }, maxBytes: MAX_BYTES },
      ...(body === undefined || body === null
        ? {}
        : { body: body instanceof URLSearchParams ? body.toString() : String(body) }),
    });
    if (response.kind !== 'responded') throw new Error(`${new URL(url).origin}: ${response.reason}`);
    return new Response(response.body.length === 0 ? null : new Uint8Array(response.body), {
      status: response.status,
      headers: { ...response.headers },
    });
  };
}

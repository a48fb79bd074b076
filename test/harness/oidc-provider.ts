import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

/** The user who signs in at the provider, with the returned claims. */
export interface OidcUser {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
}

export interface RunningProvider {
  readonly issuer: string;
  /** Makes this user, who has consented to everything, sign in from now on. */
  signsIn(user: OidcUser): void;
  close(): Promise<void>;
}

export const OIDC_CLIENT = { id: 'postrider', secret: 'a-secret-of-the-client' } as const;

/** A real OpenID Connect provider on loopback; only the user on its pages is simulated. */
export async function startOidcProvider(redirectUri: () => string): Promise<RunningProvider> {
  let user: OidcUser = { sub: 'nobody' };
  const http = createServer();
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
  let provider: Provider | null = null;
  const made = () => {
    provider ??= new Provider(issuer, {
      clients: [{ client_id: OIDC_CLIENT.id, client_secret: OIDC_CLIENT.secret, redirect_uris: [redirectUri()] }],
      jwks: { keys: [{ ...key, alg: 'RS256', use: 'sig' }] },
      cookies: { keys: ['for tests'] },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      pkce: { required: () => true },
      features: { devInteractions: { enabled: false } },
      ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
      interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
      findAccount: (_context, sub) => ({ accountId: sub, claims: () => Promise.resolve({ ...user, sub }) }),
      loadExistingGrant: async ({ oidc }) => {
        const { client, session, provider: own } = oidc;
        if (client === undefined || session?.accountId === undefined) throw new Error('a grant before the sign-in');
        const grant = new own.Grant({ clientId: client.clientId, accountId: session.accountId });
        grant.addOIDCScope('openid email profile');
        await grant.save();
        return grant;
      },
    });
    return provider;
  };
  http.on('request', (request, response) => {
    const running = made();
    if (request.url?.startsWith('/interaction/') !== true) void running.callback()(request, response);
    else void running.interactionFinished(request, response, { login: { accountId: user.sub } });
  });
  return {
    issuer,
    signsIn(next) {
      user = next;
    },
    close: () =>
      new Promise((resolve) => {
        http.closeAllConnections();
        http.close(() => resolve());
      }),
  };
}

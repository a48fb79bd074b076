import type { AuthServices } from '../auth/auth-services.ts';
import { createCodeTries } from '../auth/code-tries.ts';
import { createCookieJar } from '../auth/cookies.ts';
import { createLinkLimits } from '../auth/link-limits.ts';
import { createMagicLinks } from '../auth/magic-link.ts';
import { createOAuthProvider } from '../auth/oauth/oauth-client.ts';
import { createSessionAuthenticator } from '../auth/session-authenticator.ts';
import { clientOf } from '../client-address.ts';
import type { Installation } from '../config/installation.ts';
import type { Sql } from '../db/client.ts';
import { createInstallationBox } from '../keys/secret-box.ts';
import type { OutboundClient } from '../outbound/outbound-client.ts';
import type { IdGenerator } from '../uuid-v7.ts';
import type { AppOptions } from './app-options.ts';

/** Everything about users who sign in, as one part. */
export function createAuthServices(
  { config, clock, baseUrl }: AppOptions,
  sql: Sql,
  ids: IdGenerator,
  installation: Installation,
  http: OutboundClient,
  warn: (error: unknown, what: string) => void,
): AuthServices {
  const tools = { sql, clock, ids, isSignupOpen: config.isSignupOpen };
  const secrets = createInstallationBox(config);
  const mailer = { sql, clock, ids, secrets, ...installation };
  // Behind a TLS proxy, the base URL shows it.
  const isSecure = config.mode === 'production' || new URL(baseUrl).protocol === 'https:';
  const linkLimits = createLinkLimits(sql, clock, secrets, clientOf);
  const nowMs = () => clock.now().getTime();
  return {
    tools,
    mailer,
    onError: warn,
    sessions: createSessionAuthenticator(sql, clock),
    links: createMagicLinks(tools, mailer, linkLimits, warn),
    linkLimits,
    codeTries: createCodeTries(sql, clock, clientOf),
    cookies: createCookieJar(isSecure),
    secrets,
    providers: new Map(
      config.oauth.map((setting) => [setting.name, createOAuthProvider({ setting, baseUrl, http, nowMs })]),
    ),
  };
}

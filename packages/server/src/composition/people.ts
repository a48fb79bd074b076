import { clientOf } from '../client-address.ts';
import type { Sql } from '../db/client.ts';
import { createInstallationBox } from '../keys/secret-box.ts';
import type { OutboundClient } from '../outbound/outbound-client.ts';
import { createCodeTries } from '../sessions/code-tries.ts';
import { createCookieJar } from '../sessions/cookies.ts';
import { createLinkLimits } from '../sessions/link-limits.ts';
import { createMagicLinks } from '../sessions/magic-link.ts';
import { createOAuthProvider } from '../sessions/oauth/oauth-client.ts';
import type { People } from '../sessions/people.ts';
import { createSessionAuthenticator } from '../sessions/session-authenticator.ts';
import type { IdGenerator } from '../uuid-v7.ts';
import type { AppOptions } from './app-options.ts';

/** Everything about people who sign in, as one part. */
export function createPeople(
  { config, clock, baseUrl }: AppOptions,
  sql: Sql,
  ids: IdGenerator,
  http: OutboundClient,
  warn: (error: unknown, what: string) => void,
): People {
  const { sandboxDomain, retryHours, monthlyQuota, mailFrom, isSignupOpen } = config;
  const byDomain = config.transport.kind === 'direct';
  const tools = { sql, clock, ids, isSignupOpen };
  const secrets = createInstallationBox(config);
  const mailer = { sql, clock, ids, secrets, sandboxDomain, byDomain, retryHours, monthlyQuota, baseUrl, mailFrom };
  // Behind a proxy that speaks TLS the base URL says so.
  const isSecure = config.mode === 'production' || new URL(baseUrl).protocol === 'https:';
  const nowMs = () => clock.now().getTime();
  return {
    tools,
    mailer,
    onError: warn,
    sessions: createSessionAuthenticator(sql, clock),
    links: createMagicLinks(tools, mailer, createLinkLimits(sql, clock, secrets, clientOf), warn),
    codeTries: createCodeTries(sql, clock, clientOf),
    cookies: createCookieJar(isSecure),
    secrets,
    providers: new Map(
      config.oauth.map((setting) => [setting.name, createOAuthProvider({ setting, baseUrl, http, nowMs })]),
    ),
  };
}

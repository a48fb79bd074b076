import type { SecretBox } from '../keys/secret-box.ts';
import type { CodeTries } from './code-tries.ts';
import type { CookieJar } from './cookies.ts';
import type { LinkLimits } from './link-limits.ts';
import type { MagicLinks } from './magic-link.ts';
import type { OAuthProvider } from './oauth/oauth-client.ts';
import type { SessionAuthenticator } from './session-authenticator.ts';
import type { SignInTools } from './sign-in.ts';
import type { SignInMailer } from './sign-in-mail.ts';

/** Everything for signing in users, as one service. */
export interface AuthServices {
  readonly tools: SignInTools;
  readonly sessions: SessionAuthenticator;
  readonly links: MagicLinks;
  readonly linkLimits: LinkLimits;
  readonly codeTries: CodeTries;
  readonly mailer: SignInMailer;
  readonly cookies: CookieJar;
  readonly secrets: SecretBox;
  /** Keyed by name. */
  readonly providers: ReadonlyMap<string, OAuthProvider>;
  /** Logs errors that occur after the response. */
  readonly onError: (error: unknown, what: string) => void;
}

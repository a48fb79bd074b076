import type { AuthServices } from '../auth-services.ts';
import type { ClientInfo, SessionToken } from '../client-info.ts';
import type { LiveSession } from '../session-authenticator.ts';

/** Reads the session from the browser's cookie. Pages ignore `Authorization`. */
export async function readCookieSession(
  clientInfo: Pick<ClientInfo, 'sessionToken'>,
  { sessions }: Pick<AuthServices, 'sessions'>,
): Promise<LiveSession | null> {
  const sessionToken = cookieOf(clientInfo);
  return sessionToken === null ? null : await sessions.find(sessionToken);
}

export function cookieOf({ sessionToken }: Pick<ClientInfo, 'sessionToken'>): SessionToken | null {
  return sessionToken?.kind === 'cookie' ? sessionToken : null;
}

import type { People } from '../people.ts';
import type { LiveSession } from '../session-authenticator.ts';
import type { BorneToken, Visit } from '../visit.ts';

/** The session that a browser has, by its cookie: pages know no other. */
export async function readCookieSession(
  visit: Pick<Visit, 'borne'>,
  { sessions }: Pick<People, 'sessions'>,
): Promise<LiveSession | null> {
  const borne = cookieOf(visit);
  return borne === null ? null : await sessions.find(borne);
}

export function cookieOf({ borne }: Pick<Visit, 'borne'>): BorneToken | null {
  return borne?.kind === 'cookie' ? borne : null;
}

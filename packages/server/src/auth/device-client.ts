import { hasForbiddenCharacter, LIMITS } from '@postrider/core';
import type { ClientInfo } from './client-info.ts';
import type { SignInClient } from './sign-in.ts';

/** Shown for a program that does not name itself. */
export const UNNAMED_CLIENT = 'an unnamed program';

/** How a program describes itself: the name it sends, else its `User-Agent`. Neither is verified. */
export function describeClient(client: string | undefined, userAgent: string | null): string {
  if (client !== undefined) return client;
  const shown = [...(userAgent ?? '')].filter((character) => !hasForbiddenCharacter(character)).join('');
  return shown.trim().slice(0, LIMITS.deviceClientCharacters).trim().toWellFormed() || UNNAMED_CLIENT;
}

/** The browser or program that signs in, as a new session records it. */
export function signInClientOf({ userAgent, address }: Pick<ClientInfo, 'userAgent' | 'address'>): SignInClient {
  return { client: describeClient(undefined, userAgent), address };
}

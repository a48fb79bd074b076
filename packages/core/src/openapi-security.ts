import type { JsonSchema } from './json-schema.ts';
import type { Access, Operation } from './operation.ts';
import { ROLES, type Role, scopesOfRole } from './roles.ts';

/** The authentication methods. */
export const SECURITY_SCHEMES = {
  key: { type: 'http', scheme: 'bearer', description: 'An API key.' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-session',
    description:
      'The session cookie of a signed-in user. A server on plain http in development names it `session`. Requests other than GET also need an `Origin` header with the origin of this server.',
  },
  sessionToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'The session token of a user who signed in on a device; `POST /auth/device/token` returns it.',
  },
} as const;

const USER = [{ session: [] }, { sessionToken: [] }] as const;

/** What a request must send, exactly as the router requires it. An empty requirement beside others means that a session is optional. */
export function securityOf({ access }: Pick<Operation, 'access'>): readonly JsonSchema[] {
  switch (access.kind) {
    case 'public':
      return access.session === undefined ? [] : [{}, ...(access.session === 'cookie' ? [{ session: [] }] : USER)];
    case 'session':
      return USER;
    case 'key':
      return access.users === 'none' ? [{ key: [] }] : [{ key: [] }, ...USER];
  }
}

/** The roles that may call an operation with a session; null if it accepts no session, or any role. */
export function rolesOf(access: Access): readonly Role[] | null {
  if (access.kind !== 'key' || access.users === 'none' || access.scope === null) return null;
  const { scope } = access;
  return ROLES.filter((role) => scopesOfRole(role).includes(scope) && (access.users !== 'owners' || role === 'owner'));
}

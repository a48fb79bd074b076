import { type AnyOperation, nameOperation } from '@postrider/core';
import type { FastifyRequest } from 'fastify';
import type { AuthServices } from '../auth/auth-services.ts';
import { isSameOriginRequest, readFormOrigin, readSessionToken, type SessionToken } from '../auth/client-info.ts';
import { foreignOrigin } from '../auth/foreign-origin.ts';
import type { Caller } from '../keys/caller.ts';
import type { KeyAuthenticator } from '../keys/key-authenticator.ts';
import { ProblemError } from '../problem.ts';

export interface RequestAuthentication {
  readonly authenticator: KeyAuthenticator;
  readonly auth: AuthServices;
  readonly baseUrl: string;
}

const READS = new Set(['GET', 'HEAD']);

/**
 * Authenticates the caller of an operation that is not public: an API key, or a user with a bearer session token or the session cookie.
 * @throws ProblemError when there are no valid credentials, or not of the kind that the operation requires
 */
export async function authenticateRequest(
  operation: AnyOperation,
  request: FastifyRequest,
  { authenticator, auth, baseUrl }: RequestAuthentication,
): Promise<Caller> {
  const { access } = operation;
  const sessionToken = readSessionToken(request.headers, auth.cookies);
  if (sessionToken !== null) {
    if (access.kind === 'key' && 'users' in access && access.users === 'none') throw keyWanted();
    return await authenticateUser(sessionToken, request, { auth, baseUrl });
  }
  if (access.kind === 'session') throw new ProblemError('session_required');
  const result = await authenticator.authenticate(request.headers.authorization, request.ip);
  if (!result.ok) throw new ProblemError(result.code, { detail: result.detail });
  return result.caller;
}

async function authenticateUser(
  sessionToken: SessionToken,
  request: FastifyRequest,
  { auth, baseUrl }: Pick<RequestAuthentication, 'auth' | 'baseUrl'>,
): Promise<Caller> {
  const session = await auth.sessions.find(sessionToken);
  if (session === null) {
    throw new ProblemError('session_required', { detail: 'The session is unknown or has ended.' });
  }
  if (sessionToken.kind === 'cookie' && !READS.has(request.method) && !isSameOriginRequest(request.headers, baseUrl)) {
    throw foreignOrigin(baseUrl, readFormOrigin(request.headers, baseUrl));
  }
  return session.caller;
}

function keyWanted(): ProblemError {
  return new ProblemError('missing_key', {
    detail: 'This operation is about the calling key, and a session has no key.',
    fix: `Send an API key. ${nameOperation('auth.session')} returns who is signed in.`,
  });
}

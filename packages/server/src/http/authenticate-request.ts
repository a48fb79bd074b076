import { type AnyOperation, nameOperation } from '@postrider/core';
import type { FastifyRequest } from 'fastify';
import { isSameOriginRequest, readSessionToken, type SessionToken } from '../auth/client-info.ts';
import { foreignOrigin } from '../auth/foreign-origin.ts';
import type { People } from '../auth/auth-services.ts';
import type { Caller } from '../keys/caller.ts';
import type { KeyAuthenticator } from '../keys/key-authenticator.ts';
import { ProblemError } from '../problem.ts';

export interface RequestAuthentication {
  readonly authenticator: KeyAuthenticator;
  readonly people: People;
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
  { authenticator, people, baseUrl }: RequestAuthentication,
): Promise<Caller> {
  const { access } = operation;
  const sessionToken = readSessionToken(request.headers, people.cookies);
  if (sessionToken !== null) {
    if (access.kind === 'key' && 'people' in access && access.people === 'none') throw keyWanted();
    return await authenticatePerson(sessionToken, request, { people, baseUrl });
  }
  if (access.kind === 'session') throw new ProblemError('session_required');
  const result = await authenticator.authenticate(request.headers.authorization, request.ip);
  if (!result.ok) throw new ProblemError(result.code, { detail: result.detail });
  return result.caller;
}

async function authenticatePerson(
  sessionToken: SessionToken,
  request: FastifyRequest,
  { people, baseUrl }: Pick<RequestAuthentication, 'people' | 'baseUrl'>,
): Promise<Caller> {
  const session = await people.sessions.find(sessionToken);
  if (session === null) {
    throw new ProblemError('session_required', { detail: 'The session is unknown or has ended.' });
  }
  if (sessionToken.kind === 'cookie' && !READS.has(request.method) && !isSameOriginRequest(request.headers, baseUrl)) {
    throw foreignOrigin(baseUrl);
  }
  return session.caller;
}

function keyWanted(): ProblemError {
  return new ProblemError('missing_key', {
    detail: 'This operation is about the calling key, and a session has no key.',
    fix: `Send an API key. ${nameOperation('auth.session')} returns who is signed in.`,
  });
}

import { type AnyOperation, ERRORS, nameOperation } from '@postrider/core';
import type { FastifyRequest } from 'fastify';
import type { AuthServices } from '../auth/auth-services.ts';
import { isSameOriginRequest, readFormOrigin, readSessionToken, type SessionToken } from '../auth/client-info.ts';
import { foreignOrigin } from '../auth/foreign-origin.ts';
import type { Caller } from '../keys/caller.ts';
import type { KeyAuthenticator } from '../keys/key-authenticator.ts';
import { mcpChallenge } from '../oauth-server/mcp-challenge.ts';
import { mcpPathOf } from '../oauth-server/oauth-paths.ts';
import { ProblemError } from '../problem.ts';
import { whenKnown } from '../when-known.ts';

export interface RequestAuthentication {
  readonly authenticator: KeyAuthenticator;
  readonly auth: AuthServices;
  readonly baseUrl: string;
  /** Whether programs can sign in. */
  readonly hasPrograms: boolean;
}

const READS = new Set(['GET', 'HEAD']);

/**
 * Authenticates the caller of an operation that is not public: an API key, or a user with a bearer session token or the session cookie.
 * Returns the caller itself if its key was read less than half a second ago.
 * @throws ProblemError when there are no valid credentials, or not of the kind that the operation requires
 */
export function authenticateRequest(
  operation: AnyOperation,
  request: FastifyRequest,
  services: RequestAuthentication,
): Caller | Promise<Caller> {
  return operation.path === '/mcp'
    ? authenticateForMcp(operation, request, services)
    : authenticate(operation, request, services);
}

async function authenticateForMcp(
  operation: AnyOperation,
  request: FastifyRequest,
  services: RequestAuthentication,
): Promise<Caller> {
  try {
    return await authenticate(operation, request, services);
  } catch (error) {
    throw services.hasPrograms && error instanceof ProblemError ? withSignIn(error, request, services.baseUrl) : error;
  }
}

/** A 401 that says how a program signs in. It works with an API key too. */
function withSignIn(problem: ProblemError, { url, headers }: FastifyRequest, baseUrl: string): ProblemError {
  const { code, details } = problem;
  if (ERRORS[code].status !== 401) return problem;
  const isWithout = headers.authorization === undefined;
  const challenge = isWithout ? {} : ({ error: 'invalid_token', description: problem.message } as const);
  return new ProblemError(code, {
    ...details,
    fix: `Sign in with a client that supports OAuth, or send an API key: \`Authorization: Bearer <API key>\`.`,
    headers: { ...details.headers, 'www-authenticate': mcpChallenge(baseUrl, mcpPathOf(url), challenge) },
  });
}

function authenticate(
  operation: AnyOperation,
  request: FastifyRequest,
  { authenticator, auth, baseUrl, hasPrograms }: RequestAuthentication,
): Caller | Promise<Caller> {
  const { access } = operation;
  const sessionToken = readSessionToken(request.headers, auth.cookies);
  if (sessionToken !== null) {
    if (access.kind === 'key' && 'users' in access && access.users === 'none') throw keyWanted();
    return authenticateUser(sessionToken, request, { auth, baseUrl });
  }
  if (access.kind === 'session') throw new ProblemError('session_required');
  return whenKnown(authenticator.authenticate(request.headers.authorization, request.ip), (result) => {
    if (!result.ok) throw new ProblemError(result.code, { detail: result.detail });
    const isToken = result.caller.shown?.kind === 'token';
    if (isToken && !hasPrograms) throw noPrograms();
    if (isToken && operation.path !== '/mcp') throw keyNotToken();
    return result.caller;
  });
}

function noPrograms(): ProblemError {
  return new ProblemError('invalid_key', {
    detail: 'This server does not let programs sign in, and its operator has switched off their tokens.',
    fix: 'Send an API key in the `Authorization` header.',
  });
}

/** Access tokens name one resource (RFC 8707). A token that leaks from a client is of no use elsewhere. */
function keyNotToken(): ProblemError {
  return new ProblemError('invalid_key', {
    detail: 'Access tokens of programs that signed in are valid for `/mcp` only.',
    fix: 'Send an API key in the `Authorization` header.',
  });
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

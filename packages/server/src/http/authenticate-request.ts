import type { AnyOperation } from '@postrider/core';
import type { FastifyRequest } from 'fastify';
import { foreignOrigin } from '../auth/foreign-origin.ts';
import type { People } from '../auth/people.ts';
import { type BorneToken, comesFromHere, readBorne } from '../auth/visit.ts';
import type { Caller } from '../keys/caller.ts';
import type { KeyAuthenticator } from '../keys/key-authenticator.ts';
import { ProblemError } from '../problem.ts';

export interface Entrance {
  readonly authenticator: KeyAuthenticator;
  readonly people: People;
  readonly baseUrl: string;
}

const READS = new Set(['GET', 'HEAD']);

/**
 * Who calls an operation that is not public: a key, or a person by a bearer session token or the session cookie.
 * @throws ProblemError where nobody does, or not in the way the operation wants
 */
export async function authenticateRequest(
  operation: AnyOperation,
  request: FastifyRequest,
  { authenticator, people, baseUrl }: Entrance,
): Promise<Caller> {
  const { access } = operation;
  const borne = readBorne(request.headers, people.cookies);
  if (borne !== null) {
    if (access.kind === 'key' && 'people' in access && access.people === 'none') throw keyWanted();
    return await authenticatePerson(borne, request, { people, baseUrl });
  }
  if (access.kind === 'session') throw new ProblemError('session_required');
  const result = await authenticator.authenticate(request.headers.authorization, request.ip);
  if (!result.ok) throw new ProblemError(result.code, { detail: result.detail });
  return result.caller;
}

async function authenticatePerson(
  borne: BorneToken,
  request: FastifyRequest,
  { people, baseUrl }: Pick<Entrance, 'people' | 'baseUrl'>,
): Promise<Caller> {
  const session = await people.sessions.find(borne);
  if (session === null) {
    throw new ProblemError('session_required', { detail: 'The session is not known here, or it has ended.' });
  }
  if (borne.kind === 'cookie' && !READS.has(request.method) && !comesFromHere(request.headers, baseUrl)) {
    throw foreignOrigin(baseUrl);
  }
  return session.caller;
}

function keyWanted(): ProblemError {
  return new ProblemError('missing_key', {
    detail: 'This is about the calling key, and a session has none.',
    fix: 'Send an API key; GET /auth/session says who is signed in.',
  });
}

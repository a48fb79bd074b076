import type { FastifyReply, FastifyRequest } from 'fastify';
import { readClientInfo } from '../../auth/client-info.ts';
import { readCookieSession } from '../../auth/web/cookie-session.ts';
import type { Caller, User } from '../../keys/caller.ts';
import type { Services } from '../../operations/context.ts';
import { PageRequest } from './page-request.ts';

/** The request of a signed-in user for a page; null if no one is signed in. */
export async function openPage(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
): Promise<PageRequest | null> {
  const { auth, installation } = services;
  const clientInfo = readClientInfo(request.headers, request.ip, auth.cookies, installation.baseUrl);
  const caller = (await readCookieSession(clientInfo, auth))?.caller ?? null;
  return caller !== null && hasUser(caller) ? new PageRequest({ request, reply, services, caller }) : null;
}

function hasUser(caller: Caller): caller is Caller & { readonly user: User } {
  return caller.user !== null;
}

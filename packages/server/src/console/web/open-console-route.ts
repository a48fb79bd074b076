import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AuthServices } from '../../auth/auth-services.ts';
import { readClientInfo } from '../../auth/client-info.ts';
import { spendConsoleLink } from '../../auth/console-link.ts';
import { signInClientOf } from '../../auth/device-client.ts';
import { cookieOf } from '../../auth/web/cookie-session.ts';
import { renderDeadConsoleLinkPage } from '../../auth/web/sign-in-pages.ts';
import { welcome } from '../../auth/web/welcome.ts';
import { refuseOtherMethods } from '../../http/method-not-allowed.ts';
import { sendUserPage } from '../user-pages.ts';

/**
 * `GET /console/open/:token`: the link that the start of a development server prints. The address bar sends no form, so GET signs in here. A
 * request that only looks at the link does not use it up.
 */
export function addOpenConsoleRoute(app: FastifyInstance, auth: AuthServices, baseUrl: string): void {
  const url = '/console/open/:token';
  app.get(url, async (request, reply) => {
    // The address contains the token.
    reply.header('referrer-policy', 'no-referrer');
    if (request.method === 'HEAD') return reply.send();
    // Browsers drop a prefetched response that is an error, and ask again when the user opens the link.
    if (isPrefetch(request)) return reply.code(503).send();
    return await open(request, reply, auth, baseUrl);
  });
  refuseOtherMethods(app, url, ['GET']);
}

async function open(request: FastifyRequest, reply: FastifyReply, auth: AuthServices, baseUrl: string) {
  const { token } = request.params as { readonly token: string }; // The route has this parameter.
  const clientInfo = readClientInfo(request.headers, request.ip, auth.cookies, baseUrl);
  const verdict = await spendConsoleLink(auth.tools, token, signInClientOf(clientInfo), cookieOf(clientInfo));
  if (verdict === null) return sendUserPage(reply.code(404), renderDeadConsoleLinkPage());
  return await welcome(request, reply, verdict, null, auth);
}

function isPrefetch({ headers }: FastifyRequest): boolean {
  const purpose = headers['sec-purpose'] ?? headers['purpose'];
  return typeof purpose === 'string' && purpose.includes('prefetch');
}

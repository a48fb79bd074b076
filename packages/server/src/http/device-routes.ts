import { findOperation } from '@postrider/core';
import type { FastifyReply } from 'fastify';
import { renderDeviceDonePage, renderDevicePage } from '../console/sign-in-pages.ts';
import { confirmDevice, denyDevice, toUserCode } from '../sessions/device-sign-in.ts';
import { foreignOrigin } from '../sessions/foreign-origin.ts';
import type { People } from '../sessions/people.ts';
import { readVisit, type Visit } from '../sessions/visit.ts';
import { readCookieSession } from './cookie-session.ts';
import { parseQuery } from './execute-operation.ts';
import { fieldOf, sendPersonPage, toSignedIn } from './person-pages.ts';
import type { RawRoute } from './router.ts';

type Handler = (request: { readonly body: unknown }, reply: FastifyReply, visit: Visit) => unknown;

/** What the page's buttons do. */
export function addDeviceRoutes(
  add: (method: 'POST', path: string, handler: Handler) => void,
  { people, baseUrl }: { readonly people: People; readonly baseUrl: string },
): void {
  add('POST', '/auth/device/decision', async ({ body }, reply, visit) => {
    if (!visit.isFromHere) throw foreignOrigin(baseUrl);
    const session = await readCookieSession(visit, people);
    const signedIn = session === null ? null : toSignedIn(session);
    const person = session?.caller.person ?? null;
    if (session === null || signedIn === null || person === null) return reply.redirect('/auth/sign-in', 303);
    const typed = fieldOf(body, 'user_code') ?? '';
    const isConfirmed = fieldOf(body, 'decision') === 'confirm';
    const verdict = isConfirmed
      ? await confirmDevice(people.tools, typed, person, session.caller.accountId)
      : await denyDevice(people.tools, typed, person);
    if (verdict !== 'confirmed') {
      const fault =
        verdict === 'expired' ? 'This code is too old. Begin again on the device.' : 'No device shows this code.';
      return sendPersonPage(reply.code(verdict === 'expired' ? 400 : 404), renderDevicePage(signedIn, null, fault));
    }
    return sendPersonPage(reply, renderDeviceDonePage(signedIn, isConfirmed ? 'confirmed' : 'denied'));
  });
}

/** `GET /auth/device`: shows the code and asks; whoever is not signed in does that first. */
export function createDevicePage({ people, baseUrl }: { readonly people: People; readonly baseUrl: string }): RawRoute {
  return async (request, reply) => {
    const { user_code: typed = '' } = parseQuery(findOperation('auth.device-page'), request.query);
    const userCode = typed.trim() === '' ? null : toUserCode(typed);
    const visit = readVisit(request.headers, request.ip, people.cookies, baseUrl);
    const session = await readCookieSession(visit, people);
    const signedIn = session === null ? null : toSignedIn(session);
    if (signedIn !== null) return sendPersonPage(reply, renderDevicePage(signedIn, userCode));
    const here = userCode === null ? '/auth/device' : `/auth/device?user_code=${encodeURIComponent(userCode)}`;
    return reply.redirect(`/auth/sign-in?next=${encodeURIComponent(here)}`, 303);
  };
}

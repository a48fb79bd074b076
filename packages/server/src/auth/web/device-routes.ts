import { findOperation, type Role, scopesOfRole } from '@postrider/core';
import type { FastifyReply } from 'fastify';
import { fieldOf, sendScriptedPage, sendUserPage, toSignedIn } from '../../console/user-pages.ts';
import { readSeats } from '../../db/queries/users.ts';
import { parseQuery } from '../../http/execute-operation.ts';
import type { RawRoute } from '../../http/router.ts';
import type { User } from '../../keys/caller.ts';
import { ProblemError, problemHeaders } from '../../problem.ts';
import type { SignedIn } from '../../ui/single-page.ts';
import type { AuthServices } from '../auth-services.ts';
import { type ClientInfo, readClientInfo } from '../client-info.ts';
import { confirmDevice, type DeviceRequest, denyDevice, findDeviceRequest } from '../device-consent.ts';
import { foreignOrigin } from '../foreign-origin.ts';
import { endOfSession } from '../session-lifetime.ts';
import { readCookieSession } from './cookie-session.ts';
import { type DeviceOutcome, renderConsentPage, renderDeviceDonePage, renderDevicePage } from './device-pages.ts';

type Handler = (request: { readonly body: unknown }, reply: FastifyReply, clientInfo: ClientInfo) => unknown;

export interface DeviceRouteOptions {
  readonly auth: AuthServices;
  readonly baseUrl: string;
}

/** The user in front of the page. */
interface Visitor {
  readonly signedIn: SignedIn;
  readonly user: User;
  readonly accountId: string;
  readonly address: string;
}

/** Adds the routes that handle the forms of the device pages. */
export function addDeviceRoutes(
  add: (method: 'POST', path: string, handler: Handler) => void,
  options: DeviceRouteOptions,
): void {
  const addForm = (
    path: string,
    act: (visitor: Visitor, body: unknown, reply: FastifyReply) => Promise<FastifyReply>,
  ) => {
    add('POST', path, async ({ body }, reply, clientInfo) => {
      // Another site could submit the form without the user having typed a code.
      if (clientInfo.formOrigin !== 'own') throw foreignOrigin(options.baseUrl, clientInfo.formOrigin);
      const visitor = await readVisitor(clientInfo, options.auth);
      if (visitor === null) return reply.redirect(`/auth/sign-in?next=${encodeURIComponent('/auth/device')}`, 303);
      return await act(visitor, body, reply).catch((error: unknown) => sendTooMany(visitor, error, reply));
    });
  };
  addForm('/auth/device/code', async (visitor, body, reply) => await ask(visitor, body, reply, options.auth));
  addForm('/auth/device/decision', async (visitor, body, reply) => await decide(visitor, body, reply, options.auth));
}

/** `GET /auth/device`: asks for the code. A code in the URL is ignored, so that a link cannot replace typing. */
export function createDevicePage({ auth, baseUrl }: DeviceRouteOptions): RawRoute {
  return async (request, reply) => {
    parseQuery(findOperation('auth.device-page'), request.query);
    const visitor = await readVisitor(readClientInfo(request.headers, request.ip, auth.cookies, baseUrl), auth);
    if (visitor !== null) return sendUserPage(reply, renderDevicePage(visitor.signedIn));
    return reply.redirect(`/auth/sign-in?next=${encodeURIComponent('/auth/device')}`, 303);
  };
}

async function readVisitor(clientInfo: ClientInfo, auth: AuthServices): Promise<Visitor | null> {
  const session = await readCookieSession(clientInfo, auth);
  const signedIn = session === null ? null : toSignedIn(session);
  const user = session?.caller.user ?? null;
  if (session === null || signedIn === null || user === null) return null;
  return { signedIn, user, accountId: session.caller.accountId, address: clientInfo.address };
}

/** Shows which program asks to sign in, and what it may do. */
async function ask(visitor: Visitor, body: unknown, reply: FastifyReply, auth: AuthServices): Promise<FastifyReply> {
  const { user, address } = visitor;
  const verdict = await findDeviceRequest(auth, { typed: fieldOf(body, 'user_code') ?? '', user, address });
  if (verdict.kind !== 'found') return sendFault(visitor, verdict.kind, reply);
  return await sendQuestion(visitor, verdict.request, reply, auth);
}

async function sendQuestion(
  { signedIn, user, accountId, address: ownAddress }: Visitor,
  { userCode, client, address, createdAt: startedAt }: DeviceRequest,
  reply: FastifyReply,
  { tools }: AuthServices,
): Promise<FastifyReply> {
  const { role, userId } = user;
  const now = tools.clock.now();
  const seats = await readSeats(tools.sql, userId);
  const question = {
    ...{ userCode, client, address, ownAddress, startedAt, now, role, accountId },
    endsAt: endOfSession({ startedAt: now, seenAt: new Date(now.getTime() + FOREVER_MS) }),
    otherAccounts: seats.filter((seat) => seat.accountId !== accountId).map(({ accountName }) => accountName),
    mayDecide: decides(role),
  };
  return sendScriptedPage(reply, renderConsentPage(signedIn, question));
}

/** With daily use, only the maximum age ends a session. */
const FOREVER_MS = 365 * 86_400_000;

async function decide(visitor: Visitor, body: unknown, reply: FastifyReply, auth: AuthServices): Promise<FastifyReply> {
  const { user, accountId, address, signedIn } = visitor;
  const code = { typed: fieldOf(body, 'user_code') ?? '', user, address };
  const done = (outcome: DeviceOutcome) => sendUserPage(reply, renderDeviceDonePage(signedIn, outcome));
  const decision = fieldOf(body, 'decision');
  if (decision === 'look') return await ask(visitor, body, reply, auth);
  if (decision !== 'confirm') {
    const verdict = await denyDevice(auth, code);
    return verdict.kind === 'denied' ? done('refused') : sendFault(visitor, verdict.kind, reply);
  }
  // The page was shown for one account, and another tab may have switched the session's account since.
  if (fieldOf(body, 'account') !== accountId) return sendFault(visitor, 'moved', reply);
  const approvals = fieldOf(body, 'approvals') === 'yes';
  const verdict = await confirmDevice(auth, { ...code, accountId, approvals });
  if (verdict.kind !== 'confirmed') return sendFault(visitor, verdict.kind, reply);
  return done(verdict.mayDecide ? 'allowed with approvals' : 'allowed');
}

const FAULTS = {
  unknown: [404, 'No device shows this code. Check it, or start again on the device.'],
  expired: [400, 'This code has expired. Start again on the device.'],
  role: [403, 'Your role cannot decide held sends, so your device cannot either. Type the code again.'],
  moved: [409, 'You have moved to another account since the page was shown. Type the code again.'],
} as const;

function sendFault({ signedIn }: Visitor, fault: keyof typeof FAULTS, reply: FastifyReply): FastifyReply {
  const [status, words] = FAULTS[fault];
  return sendUserPage(reply.code(status), renderDevicePage(signedIn, words));
}

function sendTooMany({ signedIn }: Visitor, error: unknown, reply: FastifyReply): FastifyReply {
  if (!(error instanceof ProblemError) || error.code !== 'rate_limited') throw error;
  const words = `${error.details.detail ?? ''} ${error.details.fix ?? ''}`;
  return sendUserPage(reply.code(429).headers(problemHeaders(error)), renderDevicePage(signedIn, words));
}

function decides(role: Role): boolean {
  return scopesOfRole(role).includes('approvals:decide');
}

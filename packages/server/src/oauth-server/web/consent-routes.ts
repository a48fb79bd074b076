import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readClientInfo } from '../../auth/client-info.ts';
import { foreignOrigin } from '../../auth/foreign-origin.ts';
import { readCookieSession } from '../../auth/web/cookie-session.ts';
import { sendScriptedPage, sendUserPage, toSignedIn } from '../../console/user-pages.ts';
import { PageForm } from '../../console/web/page-form.ts';
import { consumeOAuthRecord, releaseOAuthRecord } from '../../db/queries/oauth-records.ts';
import { refuseOtherMethods } from '../../http/method-not-allowed.ts';
import type { Caller, User } from '../../keys/caller.ts';
import { toKeyProblem } from '../../operations/keys/key-problems.ts';
import type { SignedIn } from '../../ui/single-page.ts';
import { type AccessRequest, readAccessRequest } from '../access-request.ts';
import { grantAccess } from '../grant-access.ts';
import { OAUTH_PATHS } from '../oauth-paths.ts';
import { toGrantId } from '../sign-in-ref.ts';
import { readChoices } from './consent-choices.ts';
import { renderConsentDonePage, renderConsentFaultPage, renderConsentPage } from './consent-page.ts';
import { toForwarded } from './forward-request.ts';
import { bytesOf, type OAuthServerRouteOptions } from './oauth-request.ts';

export interface ConsentRouteOptions extends OAuthServerRouteOptions {
  readonly onRequest: (request: FastifyRequest) => Promise<void>;
}

/** Adds the page on which a user decides about a request, and the form that it sends. */
export function addConsentRoutes(routes: FastifyInstance, options: ConsentRouteOptions): void {
  const url = `${OAUTH_PATHS.consent}/:uid`;
  const { onRequest } = options;
  routes.get(url, { onRequest }, async (request, reply) => {
    const visit = await readVisit(request, reply, options);
    return visit === null ? reply : sendScriptedPage(reply, renderConsentPage({ ...visit, form: new PageForm([]) }));
  });
  routes.post(url, { onRequest }, async (request, reply) => await decide(request, reply, options));
  refuseOtherMethods(routes, url, ['GET', 'POST']);
}

/** The user in front of the page, with the request that they decide about. */
interface Visit {
  readonly signedIn: SignedIn;
  readonly caller: Caller & { readonly user: User };
  readonly request: AccessRequest;
  readonly path: string;
  readonly now: Date;
}

async function decide(request: FastifyRequest, reply: FastifyReply, options: ConsentRouteOptions): Promise<unknown> {
  const { auth, baseUrl } = options;
  const { formOrigin } = readClientInfo(request.headers, request.ip, auth.cookies, baseUrl);
  // Another site could submit the form, which the user has not seen.
  if (formOrigin !== 'own') throw foreignOrigin(baseUrl, formOrigin);
  const visit = await readVisit(request, reply, options);
  if (visit === null) return reply;
  const form = new PageForm(new URLSearchParams(bytesOf(request).toString('utf8')));
  const show = (more: Partial<Parameters<typeof renderConsentPage>[0]>, status = 200) =>
    sendScriptedPage(reply.code(status), renderConsentPage({ ...visit, form, ...more }));
  switch (form.get('decision')) {
    case 'deny':
      return await finish(request, reply, options, visit, { error: 'access_denied', error_description: DENIED });
    case 'allow':
      break;
    default:
      return show({ isPreview: true });
  }
  // The page was shown for one account, and another tab may have changed the account of the session since.
  if (form.get('member') !== visit.caller.user.memberId) return show({ refusal: MOVED }, 409);
  const choice = readChoices(form, visit.request, visit.now);
  if (!choice.ok) return show({ problems: choice.problems }, 422);
  return await onUndecided(request, reply, options, visit, async () => {
    const verdict = await grantAccess(options.keys, visit.caller, visit.request, choice.access);
    if (verdict.kind === 'granted') {
      const grantId = toGrantId(verdict.signIn);
      return { result: { login: { accountId: grantId }, consent: { grantId } } };
    }
    if (verdict.kind === 'invalid') return { response: () => show({ problems: verdict.problems }, 422) };
    const { message, details } = toKeyProblem(verdict.refusal);
    return { response: () => show({ refusal: `${message} ${details.fix ?? ''}`.trim() }, 403) };
  });
}

type Work = () => Promise<{ readonly result: object } | { readonly response: () => FastifyReply }>;

/** Does the work if the request is not decided yet, so that of two presses of the button one grants access. */
async function onUndecided(
  request: FastifyRequest,
  reply: FastifyReply,
  options: ConsentRouteOptions,
  visit: Visit,
  work: Work,
): Promise<unknown> {
  const { sql } = options.keys;
  const { hashOf } = await options.load();
  const record = { kind: 'Interaction', idHash: hashOf(uidOf(request)) };
  if (!(await consumeOAuthRecord(sql, { ...record, now: visit.now }))) return sendEnded(reply, visit.signedIn);
  const done = await work();
  if ('result' in done) return await respond(request, reply, options, visit, done.result, true);
  // The user can choose otherwise.
  await releaseOAuthRecord(sql, record);
  return done.response();
}

async function finish(
  request: FastifyRequest,
  reply: FastifyReply,
  options: ConsentRouteOptions,
  visit: Visit,
  denial: object,
): Promise<unknown> {
  const { hashOf } = await options.load();
  const record = { kind: 'Interaction', idHash: hashOf(uidOf(request)), now: visit.now };
  if (!(await consumeOAuthRecord(options.keys.sql, record))) return sendEnded(reply, visit.signedIn);
  return await respond(request, reply, options, visit, denial, false);
}

async function respond(
  request: FastifyRequest,
  reply: FastifyReply,
  { load, baseUrl, auth }: ConsentRouteOptions,
  { signedIn }: Visit,
  result: object,
  allowed: boolean,
): Promise<unknown> {
  const { provider } = await load();
  const next = await provider.interactionResult(toForwarded(request, baseUrl), reply.raw, { ...result });
  auth.sessions.forget();
  // Not a redirect: the policy of the page forbids forms that lead to other hosts, as the program’s may be.
  reply.header('refresh', `0;url=${next}`);
  return sendUserPage(reply, renderConsentDonePage(signedIn, { allowed, next }));
}

/** Reads the request of this browser and its user. Null if the response is sent: there is no such request, or the user has to sign in. */
async function readVisit(
  request: FastifyRequest,
  reply: FastifyReply,
  options: ConsentRouteOptions,
): Promise<Visit | null> {
  const { auth, baseUrl, keys } = options;
  const session = await readCookieSession(readClientInfo(request.headers, request.ip, auth.cookies, baseUrl), auth);
  const signedIn = session === null ? null : toSignedIn(session);
  const asked = await readAsked(request, reply, options);
  if (asked === null) {
    sendEnded(reply, signedIn);
    return null;
  }
  const [path = ''] = request.url.split('?');
  if (session === null || signedIn === null || session.caller.user === null) {
    reply.redirect(`/auth/sign-in?next=${encodeURIComponent(path)}`, 303);
    return null;
  }
  const { user, accountId } = session.caller;
  const now = keys.clock.now();
  const access = await readAccessRequest(keys.sql, { ...asked, user, accountId, now });
  return { signedIn, caller: { ...session.caller, user }, request: access, path, now };
}

/** The request of this browser as the program made it; null unless it waits for a decision. */
async function readAsked(request: FastifyRequest, reply: FastifyReply, { load, baseUrl }: ConsentRouteOptions) {
  const { provider, errors, findClient } = await load();
  const interaction = await provider
    .interactionDetails(toForwarded(request, baseUrl), reply.raw)
    .catch((error: unknown) => {
      if (error instanceof errors.SessionNotFound) return null;
      throw error;
    });
  // The record has it once the request is decided; the library's types do not know it.
  const isDecided = interaction !== null && (interaction.result !== undefined || 'consumed' in interaction);
  if (interaction === null || isDecided || interaction.uid !== uidOf(request)) return null;
  const { client_id: clientId, scope, redirect_uri: redirectUri } = interaction.params;
  const client = await findClient(String(clientId));
  if (client === undefined) return null;
  return { client, redirectUri: String(redirectUri), scope: typeof scope === 'string' ? scope : undefined };
}

function sendEnded(reply: FastifyReply, signedIn: SignedIn | null): FastifyReply {
  return sendUserPage(reply.code(404), renderConsentFaultPage('This request has ended', ENDED, signedIn));
}

const ENDED = 'It was decided, has expired, or was started in another browser. Start again in the program.';
const MOVED = 'You have moved to another account since the page was shown. Check the account, and decide again.';
const DENIED = 'The user denied access.';

function uidOf(request: FastifyRequest): string {
  return (request.params as { readonly uid: string }).uid; // The routes have this parameter.
}

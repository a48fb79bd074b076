import { findOperation, LIMITS } from '@postrider/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { sendJson, sendScriptedPage, toSignedIn } from '../../console/user-pages.ts';
import type { AnonymousRateLimit } from '../../http/anonymous-rate-limit.ts';
import { refuseOtherMethods } from '../../http/method-not-allowed.ts';
import { addWithAndWithoutPrefix } from '../../http/version-prefix.ts';
import type { User } from '../../keys/caller.ts';
import { parsePart, validationFailed } from '../../operations/parse-part.ts';
import { noSuchPasskey, toPasskey } from '../../operations/passkeys/passkey-record.ts';
import { ProblemError } from '../../problem.ts';
import type { AuthServices } from '../auth-services.ts';
import { type ClientInfo, readClientInfo } from '../client-info.ts';
import { signInClientOf } from '../device-client.ts';
import { foreignOrigin } from '../foreign-origin.ts';
import type { Confirmation } from '../passkeys/confirmation.ts';
import {
  type Assertion,
  confirmBodySchema,
  registerBodySchema,
  registerOptionsBodySchema,
  removeBodySchema,
  signInBodySchema,
} from '../passkeys/credential-schemas.ts';
import { assertMayAdd, assertMayRemove, readGuard, statementOf, unmailed } from '../passkeys/guard-passkeys.ts';
import {
  type Challenged,
  challengeConfirmation,
  challengeNewPasskey,
  challengePasskey,
} from '../passkeys/make-challenge.ts';
import { listOwnPasskeys, removeOwnPasskey } from '../passkeys/own-passkeys.ts';
import type { PasskeyTools } from '../passkeys/passkey-tools.ts';
import { type RegisterVerdict, registerPasskey } from '../passkeys/register-passkey.ts';
import { relyingPartyOf } from '../passkeys/relying-party.ts';
import { CHALLENGE_SECONDS } from '../passkeys/sealed-challenge.ts';
import { signInWithPasskey } from '../passkeys/sign-in-with-passkey.ts';
import { mailPasskeyAdded } from '../sign-in-mail.ts';
import { cookieOf, readCookieSession } from './cookie-session.ts';
import { renderPasskeysPage } from './passkey-pages.ts';
import { welcome } from './welcome.ts';

export interface PasskeyRouteOptions {
  readonly auth: AuthServices;
  readonly baseUrl: string;
  readonly anonymousRates: AnonymousRateLimit;
}

const BODY_BYTES = 16_384;

interface Call {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly clientInfo: ClientInfo;
  readonly tools: PasskeyTools;
}

type Handler = (call: Call, auth: AuthServices) => Promise<FastifyReply>;

/** Adds the page with the user's passkeys, and what its script and that of the sign-in page call. Every POST must come from a page of this server. */
export function addPasskeyRoutes(app: FastifyInstance, options: PasskeyRouteOptions): void {
  const { auth, baseUrl } = options;
  const party = relyingPartyOf(baseUrl);
  addWithAndWithoutPrefix(app, (pages) => {
    const clientInfoOf = (request: FastifyRequest) =>
      readClientInfo(request.headers, request.ip, auth.cookies, baseUrl);
    const add = (url: string, handler: Handler) => {
      pages.route({
        ...{ method: 'POST', url, bodyLimit: BODY_BYTES },
        onRequest: async (request) => {
          await options.anonymousRates.assertRate(findOperation('auth.magic-link'), request.ip);
        },
        handler: async (request, reply) => {
          const clientInfo = clientInfoOf(request);
          // Another site could sign the user in to another account, or add a passkey of its own to theirs.
          if (clientInfo.formOrigin !== 'own') throw foreignOrigin(baseUrl, clientInfo.formOrigin);
          if (party === null) throw noHostName();
          return await handler({ request, reply, clientInfo, tools: { auth, party } }, auth);
        },
      });
      refuseOtherMethods(pages, url, ['POST']);
    };
    add('/auth/passkeys/sign-in/options', async ({ reply, tools }) =>
      sendChallenge(reply, await challengePasskey(tools), auth),
    );
    add('/auth/passkeys/sign-in', signInByPasskey);
    add('/auth/passkeys/register/options', startRegistration);
    add('/auth/passkeys/register', finishRegistration);
    add('/auth/passkeys/confirm/options', startConfirmation);
    add('/auth/passkeys/remove', removeConfirmed);
    pages.get('/auth/passkeys', async (request, reply) => {
      const session = await readCookieSession(clientInfoOf(request), auth);
      const [signedIn, user] = [session === null ? null : toSignedIn(session), session?.caller.user ?? null];
      if (signedIn === null || user === null) {
        return reply.redirect(`/auth/sign-in?next=${encodeURIComponent('/auth/passkeys')}`, 303);
      }
      const [passkeys, guard] = await Promise.all([listOwnPasskeys(auth.tools, user), readGuard({ auth }, user)]);
      const url = `${party?.origins[0] ?? new URL(baseUrl).origin}/auth/passkeys`;
      return sendScriptedPage(reply, renderPasskeysPage(signedIn, { passkeys, party, url, guard }));
    });
    refuseOtherMethods(pages, '/auth/passkeys', ['GET']);
  });
}

const signInByPasskey: Handler = async ({ request, reply, clientInfo, tools }, auth) => {
  const { credential: assertion } = parseBody(signInBodySchema, request.body);
  const sealed = takeChallenge(clientInfo, reply, auth);
  const [from, former] = [signInClientOf(clientInfo), cookieOf(clientInfo)];
  const verdict = await signInWithPasskey(tools, { assertion, sealed, from, former });
  switch (verdict.kind) {
    case 'unchallenged':
      throw noChallenge();
    case 'refused':
      throw new ProblemError('not_found', {
        detail: 'No user of this server has this passkey. It may have been removed.',
        fix: 'Sign in another way.',
      });
    default:
      return await welcome(request, reply, verdict, null, auth);
  }
};

const startRegistration: Handler = async ({ request, reply, clientInfo, tools }, auth) => {
  const user = await readUser(clientInfo, auth);
  const { confirmation, link = null } = parseBody(registerOptionsBodySchema, request.body ?? {});
  // Before a passkey is asked for.
  const existing = await listOwnPasskeys(auth.tools, user);
  if (existing.length >= LIMITS.passkeysPerUser) throw toRegisterProblem('full');
  const isConfirmed = await assertMayAdd(tools, user, {
    confirmation: confirmationOf(confirmation, clientInfo, auth),
    link,
  });
  const challenged = await challengeNewPasskey(tools, user, isConfirmed);
  if (challenged === null) throw toRegisterProblem('full');
  return sendChallenge(reply, challenged, auth);
};

const finishRegistration: Handler = async ({ request, reply, clientInfo, tools }, auth) => {
  const user = await readUser(clientInfo, auth);
  const { name, credential: attestation, link = null } = parseBody(registerBodySchema, request.body);
  const sealed = takeChallenge(clientInfo, reply, auth);
  const verdict = await registerPasskey(tools, user, { name, attestation, sealed, link });
  if (verdict.kind === 'unmailed') throw unmailed(tools);
  if (verdict.kind !== 'registered') throw toRegisterProblem(verdict.kind);
  await mailPasskeyAdded(auth.mailer, { to: user.email, name }).catch((error: unknown) => {
    auth.onError(error, 'mailing a user about a new passkey');
  });
  return sendJson(reply.code(201), toPasskey(verdict.passkey));
};

/** For a change of the user's own passkeys that one of them must confirm. */
const startConfirmation: Handler = async ({ request, reply, clientInfo, tools }, auth) => {
  const user = await readUser(clientInfo, auth);
  const { change, id = null } = parseBody(confirmBodySchema, request.body);
  const challenged = await challengeConfirmation(tools, user.userId, statementOf(tools, user, change, id));
  if (challenged === null) throw noSuchPasskey();
  return sendChallenge(reply, challenged, auth);
};

const removeConfirmed: Handler = async ({ request, reply, clientInfo, tools }, auth) => {
  const user = await readUser(clientInfo, auth);
  const { id, confirmation } = parseBody(removeBodySchema, request.body);
  const given = confirmationOf(confirmation, clientInfo, auth);
  if (given !== null) takeChallenge(clientInfo, reply, auth);
  await assertMayRemove(tools, user, id, given);
  const removed = await removeOwnPasskey(auth, user, id);
  if (removed === null) throw noSuchPasskey();
  return sendJson(reply, toPasskey(removed));
};

/** The signature of a passkey, with the challenge that the browser keeps. */
function confirmationOf(
  assertion: Assertion | undefined,
  clientInfo: ClientInfo,
  { cookies }: AuthServices,
): Confirmation | null {
  return assertion === undefined ? null : { assertion, sealed: clientInfo.cookie(cookies.passkey) ?? '' };
}

/** The user of the browser's session, read from the database: a session that has just ended must not leave a passkey behind. */
async function readUser(clientInfo: ClientInfo, { sessions }: AuthServices): Promise<User> {
  const cookie = cookieOf(clientInfo);
  const session = cookie === null ? null : await sessions.findFresh(cookie);
  const user = session?.caller.user ?? null;
  if (user === null) throw new ProblemError('session_required');
  return user;
}

function sendChallenge(
  reply: FastifyReply,
  { options, sealed }: Challenged<unknown>,
  { cookies }: AuthServices,
): FastifyReply {
  return sendJson(reply.header('set-cookie', cookies.set(cookies.passkey, sealed, CHALLENGE_SECONDS)), options);
}

/** The browser's challenge, which it loses: whatever the result, it is used up. */
function takeChallenge(clientInfo: ClientInfo, reply: FastifyReply, { cookies }: AuthServices): string | null {
  reply.header('set-cookie', cookies.clear(cookies.passkey));
  return clientInfo.cookie(cookies.passkey);
}

function parseBody<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = parsePart(schema, body, 'body');
  if (!parsed.ok) throw validationFailed(parsed.problems);
  return parsed.data;
}

function noHostName(): ProblemError {
  return new ProblemError('not_found', {
    detail: 'Passkeys need a server with a host name, and this server’s base URL has an IP address.',
    fix: 'Sign in another way.',
  });
}

function noChallenge(): ProblemError {
  return new ProblemError('not_found', {
    detail: `The request for a passkey was used already, is older than ${LIMITS.passkeyChallengeMinutes} minutes, or was started in another browser.`,
    fix: 'Start again, in the same browser.',
  });
}

function toRegisterProblem(kind: Exclude<RegisterVerdict['kind'], 'registered' | 'unmailed'>): ProblemError {
  switch (kind) {
    case 'unchallenged':
    case 'unconfirmed':
      return noChallenge();
    case 'refused':
      return validationFailed([
        { path: 'credential', code: 'invalid_format', message: 'is not a new passkey for this server' },
      ]);
    case 'taken':
      return new ProblemError('already_exists', {
        detail: 'This passkey has already been added.',
        fix: 'Add one of another device or password manager.',
      });
    case 'full':
      return validationFailed([
        {
          path: 'credential',
          code: 'too_many',
          message: `would exceed ${LIMITS.passkeysPerUser} passkeys; remove one first`,
        },
      ]);
  }
}

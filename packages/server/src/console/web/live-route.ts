import { LIMITS } from '@postrider/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { readFormOrigin, readSessionToken } from '../../auth/client-info.ts';
import { foreignOrigin } from '../../auth/foreign-origin.ts';
import type { LiveSession } from '../../auth/session-authenticator.ts';
import { LIVE_TOPICS, type LiveTopic, parseLiveTopic } from '../../events/live-topics.ts';
import { refuseOtherMethods } from '../../http/method-not-allowed.ts';
import { disconnectSignal } from '../../http/rest-context.ts';
import { sendStream } from '../../http/send-stream.ts';
import type { Services } from '../../operations/context.ts';
import { parsePart, validationFailed } from '../../operations/parse-part.ts';
import { ProblemError } from '../../problem.ts';
import { EVENT_STREAM_HEADERS } from '../../server-sent-events.ts';
import { streamChanges } from './stream-changes.ts';

export interface LiveRouteOptions {
  readonly baseUrl: string;
  /** Whether there is a page of captured mail. */
  readonly hasMailbox: boolean;
}

/**
 * `GET /console/live?watch=approvals,messages` reports which lists have changed, so that pages fetch them again. It sends names only:
 * what a page shows has one source, the page itself.
 */
export function addLiveRoute(app: FastifyInstance, services: Services, options: LiveRouteOptions): void {
  app.get('/console/live', async (request, reply) => {
    const { caller } = await authenticate(request, services, options);
    request.state.caller = caller;
    const { user, accountId } = caller;
    if (user === null) throw new ProblemError('session_required');
    const topics = readTopics(request, options);
    const missing = topics.find(({ scope }) => !caller.scopes.includes(scope));
    if (missing !== undefined) {
      const detail = `The role \`${user.role}\` cannot watch \`${missing.name}\`: it lacks the permissions of the scope \`${missing.scope}\`.`;
      throw new ProblemError('missing_scope', { detail });
    }
    const gone = disconnectSignal(reply);
    const watch = await services.events.live.open({
      ownerId: user.userId,
      watched: topics.map(({ name, kind, messageId }) => ({ name, kind, messageId, accountId })),
      session: { sessionId: user.sessionId, accountId, scopes: topics.map(({ scope }) => scope) },
    });
    if (watch === null) throw new ProblemError('unavailable', TOO_MANY);
    // A client that left while the watch was opened is sent nothing, so the stream never begins, nor ends.
    gone.addEventListener('abort', () => watch.close(), { once: true });
    if (gone.aborted) watch.close();
    return await sendStream(request, reply.headers(EVENT_STREAM_HEADERS), streamChanges(watch, gone));
  });
  refuseOtherMethods(app, '/console/live', ['GET']);
}

const TOO_MANY = {
  detail: `Too many live pages are open. Each server process allows ${LIMITS.consoleStreamsPerUser} for each user, and ${LIMITS.consoleStreams} in total.`,
  fix: 'Close other pages of the console, then reload this one.',
  // Scripts cannot read why an event stream was refused, so the page requests it again and reads this header.
  headers: { 'retry-after': '5', 'x-live-pages': 'full' },
};

/** Browsers add the cookie to requests of other sites, whose pages must not use up the streams of a user. */
async function authenticate(
  { headers }: FastifyRequest,
  { auth: { cookies, sessions } }: Pick<Services, 'auth'>,
  { baseUrl }: LiveRouteOptions,
): Promise<LiveSession> {
  const token = readSessionToken(headers, cookies);
  if (token?.kind !== 'cookie') {
    throw new ProblemError('session_required', { detail: 'Only pages of the console can watch for changes.' });
  }
  if (readFormOrigin(headers, baseUrl) === 'foreign') throw foreignOrigin(baseUrl, 'foreign');
  const session = await sessions.find(token);
  if (session !== null) return session;
  throw new ProblemError('session_required', { detail: 'The session is unknown or has ended.' });
}

const querySchema = z.strictObject({ watch: z.string().default('') });

/** @throws ProblemError for other parameters, and for topics that do not exist */
function readTopics({ query }: FastifyRequest, { hasMailbox }: LiveRouteOptions): readonly LiveTopic[] {
  const part = parsePart(querySchema, query, 'query');
  if (!part.ok) throw validationFailed(part.problems);
  const names = new Set(part.data.watch.split(','));
  if (names.size > LIMITS.consoleStreamTopics)
    throw invalid('too_many', `must have at most ${LIMITS.consoleStreamTopics} topics`);
  return [...names].map((name) => {
    const topic = parseLiveTopic(name);
    if (topic === null || (topic.kind === 'mailbox' && !hasMailbox))
      throw invalid('invalid', `must be a list of: ${LIVE_TOPICS}`);
    return topic;
  });
}

function invalid(code: 'invalid' | 'too_many', message: string): ProblemError {
  return validationFailed([{ path: 'watch', code, message }]);
}

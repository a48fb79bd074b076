import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Sql } from '../db/client.ts';
import { classifyDatabaseError } from '../db/database-errors.ts';
import { readTrackedLink } from '../db/queries/tracking-events.ts';
import type { TrackingRecorder } from '../events/tracking-recorder.ts';
import { CLICK_PATH, OPEN_PATH } from '../links/tracked-body.ts';
import type { TrackingSubject, TrackingTokens } from '../links/tracking-token.ts';
import { renderTryAgainPage, renderUnknownLinkPage } from '../unsubscribe/unsubscribe-pages.ts';
import { within } from '../within.ts';
import { refuseOtherMethods } from './method-not-allowed.ts';
import { sendRecipientPage } from './recipient-pages.ts';
import { addWithAndWithoutPrefix } from './version-prefix.ts';

export interface TrackingRouteOptions {
  readonly sql: Sql;
  readonly tokens: TrackingTokens;
  readonly recorder: TrackingRecorder;
}

/** The smallest image there is: one transparent pixel, GIF 89a. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
/** So that who reads the trail behind a fetch finds it there; nobody who reads mail waits longer for it. */
const RECORDING_MS = 250;

/**
 * The tracking image and the redirects of rewritten links. They ask for no key, set no cookie, and of who asks they keep nothing: neither
 * address nor user agent. HEAD is answered alike and recorded as nothing, since nobody looks at what it brings.
 */
export function addTrackingRoutes(app: FastifyInstance, options: TrackingRouteOptions): void {
  addWithAndWithoutPrefix(app, (context) => {
    context.get(`${OPEN_PATH}:token`, (request, reply) => answerOpen(request, reply, options));
    context.get(`${CLICK_PATH}:token`, (request, reply) => answerClick(request, reply, options));
    for (const path of [OPEN_PATH, CLICK_PATH]) refuseOtherMethods(context, `${path}:token`, ['GET']);
  });
}

/** Always with the image, also while the database is away: a broken one would be seen. */
async function answerOpen(
  request: FastifyRequest,
  reply: FastifyReply,
  { tokens, recorder }: TrackingRouteOptions,
): Promise<FastifyReply> {
  const subject = subjectOf(request, tokens);
  if (subject === null || subject.link !== null) return sendUnknown(reply);
  if (request.method === 'GET') await within(RECORDING_MS, recorder.record({ ...subject, url: null }));
  return reply.header('content-type', 'image/gif').send(PIXEL);
}

async function answerClick(
  request: FastifyRequest,
  reply: FastifyReply,
  { sql, tokens, recorder }: TrackingRouteOptions,
): Promise<FastifyReply> {
  const subject = subjectOf(request, tokens);
  if (subject === null || subject.link === null) return sendUnknown(reply);
  const { accountId, messageId, link } = subject;
  const url = await readTrackedLink(sql, { accountId, messageId, link }).catch((error: unknown) => {
    if (classifyDatabaseError(error) !== 'unavailable') throw error;
    return undefined;
  });
  if (url === undefined) return sendUnavailable(reply);
  const location = url === null ? null : locationOf(url);
  if (url === null || location === null) return sendUnknown(reply);
  if (request.method === 'GET') await within(RECORDING_MS, recorder.record({ accountId, messageId, url }));
  return reply.code(302).header('location', location).header('x-robots-tag', 'noindex').send();
}

function subjectOf(request: FastifyRequest, tokens: TrackingTokens): TrackingSubject | null {
  const { token } = request.params as { readonly token: string }; // The routes have this parameter.
  return tokens.read(token);
}

/** A header holds visible ASCII alone; a URL that has more is written as browsers would ask for it. */
function locationOf(url: string): string | null {
  return /^[\x21-\x7e]+$/.test(url) ? url : (URL.parse(url)?.href ?? null);
}

function sendUnknown(reply: FastifyReply): FastifyReply {
  return sendRecipientPage(reply.code(404), renderUnknownLinkPage());
}

function sendUnavailable(reply: FastifyReply): FastifyReply {
  return sendRecipientPage(reply.code(503).header('retry-after', '5'), renderTryAgainPage());
}

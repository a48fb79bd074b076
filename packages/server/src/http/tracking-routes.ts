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

/** The smallest possible image: one transparent pixel, GIF 89a. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
/** So that the event is visible right after a fetch, without a noticeable delay for the reader. */
const RECORDING_MS = 250;

/**
 * The tracking image and the redirects of rewritten links. They require no key, set no cookie, and store neither the
 * address nor the user agent of the client. HEAD gets the same response and is not recorded, because no one sees its
 * result.
 */
export function addTrackingRoutes(app: FastifyInstance, options: TrackingRouteOptions): void {
  addWithAndWithoutPrefix(app, (context) => {
    context.get(`${OPEN_PATH}:token`, (request, reply) => handleOpen(request, reply, options));
    context.get(`${CLICK_PATH}:token`, (request, reply) => handleClick(request, reply, options));
    for (const path of [OPEN_PATH, CLICK_PATH]) refuseOtherMethods(context, `${path}:token`, ['GET']);
  });
}

/** Always with the image, even if the database is unavailable: a broken image would be visible. */
async function handleOpen(
  request: FastifyRequest,
  reply: FastifyReply,
  { tokens, recorder }: TrackingRouteOptions,
): Promise<FastifyReply> {
  const subject = subjectOf(request, tokens);
  if (subject === null || subject.link !== null) return sendUnknown(reply);
  if (request.method === 'GET') await within(RECORDING_MS, recorder.record({ ...subject, url: null }));
  return reply.header('content-type', 'image/gif').send(PIXEL);
}

async function handleClick(
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

/** A header may only contain visible ASCII, so other characters of a URL are encoded as browsers do. */
function locationOf(url: string): string | null {
  return /^[\x21-\x7e]+$/.test(url) ? url : (URL.parse(url)?.href ?? null);
}

function sendUnknown(reply: FastifyReply): FastifyReply {
  return sendRecipientPage(reply.code(404), renderUnknownLinkPage());
}

function sendUnavailable(reply: FastifyReply): FastifyReply {
  return sendRecipientPage(reply.code(503).header('retry-after', '5'), renderTryAgainPage());
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { classifyDatabaseError } from '../db/database-errors.ts';
import { type RecipientRow, readRecipient } from '../db/queries/unsubscribes.ts';
import { type UnsubscribeTools, unsubscribe } from '../unsubscribe/unsubscribe.ts';
import type { UnsubscribeLinks, UnsubscribeSubject } from '../unsubscribe/unsubscribe-links.ts';
import {
  renderTryAgainPage,
  renderUnknownLinkPage,
  renderUnsubscribedPage,
  renderUnsubscribePage,
} from '../unsubscribe/unsubscribe-pages.ts';
import { refuseOtherMethods } from './method-not-allowed.ts';
import { sendRecipientPage } from './recipient-pages.ts';
import { addWithAndWithoutPrefix } from './version-prefix.ts';

export interface UnsubscribeRouteOptions {
  readonly links: UnsubscribeLinks;
  readonly tools: UnsubscribeTools;
}

/** RFC 8058, section 3.2: a mail service posts one of these two, and so does the page's form. */
const FORM_TYPES = ['application/x-www-form-urlencoded', 'multipart/form-data'];
const FORM_BYTES = 16_384;

/**
 * `/u/:token`, the link of every unsubscribe header and placeholder. GET shows a page and changes nothing. POST
 * unsubscribes, both for the page's button and for the one-click request of a mail program. Only the token identifies
 * the recipient. The form's content is ignored, so that no one who wants to unsubscribe is rejected because of a field.
 */
export function addUnsubscribeRoutes(app: FastifyInstance, { links, tools }: UnsubscribeRouteOptions): void {
  addWithAndWithoutPrefix(app, (pages) => {
    pages.removeAllContentTypeParsers();
    pages.addContentTypeParser(FORM_TYPES, { parseAs: 'buffer', bodyLimit: FORM_BYTES }, (_request, _body, done) =>
      done(null),
    );
    pages.get('/u/:token', async (request, reply) => {
      const read = (subject: UnsubscribeSubject) => readRecipient(tools.sql, subject);
      return await respond(request, reply, links, read, renderUnsubscribePage);
    });
    pages.post('/u/:token', async (request, reply) => {
      const leave = (subject: UnsubscribeSubject) => unsubscribe(tools, subject);
      return await respond(request, reply, links, leave, renderUnsubscribedPage);
    });
    refuseOtherMethods(pages, '/u/:token', ['GET', 'POST']);
  });
}

async function respond(
  request: FastifyRequest,
  reply: FastifyReply,
  links: UnsubscribeLinks,
  act: (subject: UnsubscribeSubject) => Promise<RecipientRow | null>,
  render: (recipient: RecipientRow) => string,
): Promise<FastifyReply> {
  const { token } = request.params as { readonly token: string }; // The routes have this parameter.
  const subject = links.read(token);
  try {
    const recipient = subject === null ? null : await act(subject);
    if (recipient === null) return sendRecipientPage(reply.code(404), renderUnknownLinkPage());
    return sendRecipientPage(reply, render(recipient));
  } catch (error) {
    if (classifyDatabaseError(error) !== 'unavailable') throw error;
    return sendRecipientPage(reply.code(503).header('retry-after', '60'), renderTryAgainPage());
  }
}

import type { FastifyReply } from 'fastify';
import { SCRIPTLESS_PAGE_POLICY } from '../ui/page-document.ts';

/** A page for the recipient of a message, at a secret URL: the URL is not sent to other servers as a referrer and not indexed. */
export function sendRecipientPage(reply: FastifyReply, markup: string): FastifyReply {
  return reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', SCRIPTLESS_PAGE_POLICY)
    .header('referrer-policy', 'no-referrer')
    .header('x-robots-tag', 'noindex')
    .send(markup);
}

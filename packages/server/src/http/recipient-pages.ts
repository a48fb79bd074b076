import type { FastifyReply } from 'fastify';
import { UNSUBSCRIBE_PAGE_POLICY } from '../unsubscribe/unsubscribe-pages.ts';

/** A page for who got a message, at an address that is a secret of theirs: it is told to no other server and stands in no index. */
export function sendRecipientPage(reply: FastifyReply, markup: string): FastifyReply {
  return reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', UNSUBSCRIBE_PAGE_POLICY)
    .header('referrer-policy', 'no-referrer')
    .header('x-robots-tag', 'noindex')
    .send(markup);
}

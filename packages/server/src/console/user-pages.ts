import type { FastifyReply, FastifyRequest } from 'fastify';
import type { LiveSession } from '../auth/session-authenticator.ts';
import { PAGE_POLICY, SCRIPTLESS_PAGE_POLICY } from '../ui/page-document.ts';
import type { SignedIn } from '../ui/single-page.ts';

/** Pages send their own origin with forms, which `no-referrer` would hide, and nothing to other servers. */
export function sendUserPage(reply: FastifyReply, markup: string, policy = SCRIPTLESS_PAGE_POLICY): FastifyReply {
  return reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', policy)
    .header('referrer-policy', 'same-origin')
    .header('x-robots-tag', 'noindex')
    .send(markup);
}

/** Sends a page that was rendered with a script. */
export function sendScriptedPage(reply: FastifyReply, markup: string): FastifyReply {
  return sendUserPage(reply, markup, PAGE_POLICY);
}

/** The user in the page header. */
export function toSignedIn({ caller }: LiveSession): SignedIn | null {
  const { user, accountName } = caller;
  return user === null ? null : { email: user.email, role: user.role, accountName };
}

/** A field of a form or a query; null if it is missing or was given more than once. */
export function fieldOf(fields: unknown, name: string): string | null {
  const value = typeof fields === 'object' && fields !== null ? (fields as Record<string, unknown>)[name] : undefined;
  return typeof value === 'string' ? value : null;
}

/** Whether the client wants data instead of a page. */
export function wantsJson({ headers }: FastifyRequest): boolean {
  return /^application\/json\b/.test(headers.accept ?? '');
}

export function sendJson(reply: FastifyReply, body: unknown): FastifyReply {
  return reply.header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(body));
}

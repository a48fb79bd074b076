import type { FastifyReply } from 'fastify';
import type { AuthServices } from '../../auth/auth-services.ts';

/** How long a notice waits for the page after the redirect. */
const SECONDS = 30;

type Tools = Pick<AuthServices, 'cookies' | 'secrets'>;

/**
 * Keeps what was done until the next page shows it. It is sealed, so that nobody who can set a cookie for this host can put words on a page.
 */
export function setNotice(reply: FastifyReply, { cookies, secrets }: Tools, text: string): void {
  const sealed = Buffer.from(secrets.seal(text.slice(0, 500))).toString('base64url');
  reply.header('set-cookie', cookies.set(cookies.notice, sealed, SECONDS));
}

/** The notice in a cookie; null if there is none, or it was not made here. */
export function readNotice(value: string | null, { secrets }: Tools): string | null {
  if (value === null || value === '') return null;
  try {
    return secrets.open(Buffer.from(value, 'base64url'));
  } catch {
    return null;
  }
}

export function clearNotice(reply: FastifyReply, { cookies }: Tools): void {
  reply.header('set-cookie', cookies.clear(cookies.notice));
}

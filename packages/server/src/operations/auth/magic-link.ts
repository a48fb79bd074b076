import { MAGIC_LINK_SECONDS } from '../../auth/magic-link.ts';
import { toOwnPath } from '../../auth/visit.ts';
import type { Handler } from '../context.ts';

/** Asks for a sign-in link. Whoever asks, and for whatever address, is answered alike. */
export const requestMagicLink: Handler<'auth.magic-link'> = async ({ body }, { services, visit }) => {
  const { links, cookies } = services.people;
  const { browser } = await links.request({
    email: body.email.address,
    next: toOwnPath(body.next, services.baseUrl),
    browser: visit?.cookie(cookies.browser) ?? null,
    known: visit?.cookie(cookies.known) ?? null,
    address: visit?.address ?? 'unknown',
  });
  return {
    body: { ok: true },
    headers: { 'set-cookie': cookies.set(cookies.browser, browser, MAGIC_LINK_SECONDS) },
  };
};

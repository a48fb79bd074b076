import { toLocalPath } from '../../auth/client-info.ts';
import { MAGIC_LINK_SECONDS } from '../../auth/magic-link.ts';
import type { Handler } from '../context.ts';

/** Requests a sign-in link. The response is the same for every caller and every address. */
export const requestMagicLink: Handler<'auth.magic-link'> = async (
  { body },
  { services: { auth, installation }, clientInfo },
) => {
  const { links, cookies } = auth;
  const { browser } = await links.request({
    email: body.email.address,
    next: toLocalPath(body.next, installation.baseUrl),
    browser: clientInfo?.cookie(cookies.browser) ?? null,
    known: clientInfo?.cookie(cookies.known) ?? null,
    address: clientInfo?.address ?? 'unknown',
  });
  return {
    body: { ok: true },
    headers: { 'set-cookie': cookies.set(cookies.browser, browser, MAGIC_LINK_SECONDS) },
  };
};

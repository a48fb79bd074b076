import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { mailboxSchema } from '../../schemas/recipients.ts';
import { SIGN_IN_LIMITS } from '../../schemas/session.ts';

export const requestMagicLink = defineOperation({
  id: 'auth.magic-link',
  method: 'POST',
  path: '/auth/magic-link',
  access: { kind: 'public' },
  reach: 'notifies',
  summary: 'Ask for a sign-in link',
  description: `Mails a link to the address, if it belongs to a user or may create an account. The response is the same in every case, so that it does not reveal which addresses have an account. The link works once, for ${LIMITS.magicLinkMinutes} minutes, and only in the browser that asked, because the response sets a cookie that the link needs. The link shows a button, and nothing happens until it is pressed. In ${LIMITS.magicLinkMinutes} minutes a client address (for IPv6, its /64 network) gets at most ${LIMITS.magicLinksPerClientAndAddress} links mailed to one email address and ${LIMITS.magicLinksPerClient} to all. An email address gets at most ${LIMITS.magicLinksPerAddress} in an hour. A browser in which its owner signed in before gets one a minute beyond these limits. A request over a limit returns the same response, and nothing is mailed.`,
  effect: 'create',
  query: z.strictObject({}),
  body: z.strictObject({
    email: mailboxSchema.describe('The user’s email address.'),
    next: z.string().max(LIMITS.urlCharacters).optional().describe('A path of this server to open after the sign-in.'),
  }),
  anonymousLimits: SIGN_IN_LIMITS,
  status: 202,
  response: 'json',
  output: z.object({ ok: z.literal(true) }).meta({ id: 'MagicLinkRequested' }),
  responseHeaders: { 'set-cookie': 'A cookie that the link needs.' },
  errors: ['rate_limited'],
  mcp: null,
  cli: null,
});

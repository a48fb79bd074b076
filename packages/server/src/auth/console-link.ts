import { insertMagicLink, spendMagicLink } from '../db/queries/magic-links.ts';
import type { SessionToken } from './client-info.ts';
import { createSecret, hashToken } from './session-token.ts';
import { type SignInClient, type SignInTools, type SignInVerdict, signIn } from './sign-in.ts';

const VALID_MS = 24 * 60 * 60_000;

/** 32 bytes in base64url. */
const SECRET = /^[\w-]{43}$/;

/**
 * Stands in the row for the browser that requested a link, because the start of a development server has none. No cookie has this value, so
 * the page of the links in mail does not accept such a link.
 */
const NO_BROWSER = hashToken('printed at a start');

/** Creates a link that opens the console once, signed in. Any process of the server can use it up, and only its hash is stored. */
export async function createConsoleLink(
  { sql, clock }: Pick<SignInTools, 'sql' | 'clock'>,
  email: string,
): Promise<string> {
  const { token, hash } = createSecret();
  const now = clock.now();
  const expiresAt = new Date(now.getTime() + VALID_MS);
  await insertMagicLink(sql, { hash, browserHash: NO_BROWSER, email, next: null, now, expiresAt });
  return token;
}

/** Uses up a link and signs its user in. Returns null if the link was used, has expired or is of another server. */
export async function spendConsoleLink(
  tools: SignInTools,
  token: string,
  from: SignInClient,
  former: SessionToken | null,
): Promise<SignInVerdict | null> {
  if (!SECRET.test(token)) return null;
  const now = tools.clock.now();
  const link = await spendMagicLink(tools.sql, { hash: hashToken(token), browserHash: NO_BROWSER, now });
  if (link === null) return null;
  return await signIn(tools, { email: link.email, name: null, identity: null, how: 'development' }, from, former);
}

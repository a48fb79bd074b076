import { readInstallationMail } from './installation-mail.ts';
import { createPasskey, type SigningOptions, type TestPasskey } from './passkey-authenticator.ts';
import { cookieOf, type TestSession } from './session.ts';
import type { TestApp, TestResponse } from './test-app.ts';

/** The options that a page got, and the cookie with which they are bound to its browser. */
export interface Challenged {
  // biome-ignore lint/suspicious/noExplicitAny: the options are passed on to the authenticator
  readonly options: any;
  readonly cookie: string;
}

/** The passkeys that a session has added last, which confirm the next ones. */
const LAST = new Map<string, TestPasskey>();

/** A user who has a passkey confirms with it. */
export async function startRegistering(
  session: Pick<TestSession, 'call' | 'cookie'>,
  origin: string,
  by: TestPasskey | undefined = LAST.get(session.cookie),
  link?: string,
): Promise<Challenged> {
  const path = '/auth/passkeys/register/options';
  const first = await session.call('POST', path, { body: { link } });
  const response = first.status === 403 && by !== undefined ? await registerConfirmed(session, origin, by) : first;
  if (response.status !== 200) throw new Error(JSON.stringify(response.body));
  return { options: response.body, cookie: cookieOf(response, 'passkey') };
}

async function registerConfirmed(session: Pick<TestSession, 'call' | 'cookie'>, origin: string, by: TestPasskey) {
  const { headers, body } = await confirming(session, origin, by, { change: 'add' });
  return await session.call('POST', '/auth/passkeys/register/options', { headers, body });
}

/** The signature of a passkey over a change of the user's passkeys, as the page's script sends it. */
export async function confirming(
  { call, cookie }: Pick<TestSession, 'call' | 'cookie'>,
  origin: string,
  by: TestPasskey,
  change: { readonly change: 'add' | 'remove'; readonly id?: string },
) {
  const asked = await call('POST', '/auth/passkeys/confirm/options', { body: change });
  if (asked.status !== 200) throw new Error(JSON.stringify(asked.body));
  return {
    headers: { cookie: `${cookie}; ${cookieOf(asked, 'passkey')}` },
    body: { confirmation: by.sign(asked.body, { origin }) },
  };
}

/** Requests the link for a first passkey, as the page's form does. Returns its token from the mail; undefined if none is needed. */
export async function requestFirstPasskeyLink(
  server: Pick<TestApp, 'database'>,
  session: Pick<TestSession, 'call'>,
): Promise<string | undefined> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const asked = await session.call('POST', '/auth/passkeys/first', { headers, rawBody: '' });
  if (asked.status === 303) return undefined;
  if (asked.status !== 202) throw new Error(`${asked.status} ${JSON.stringify(asked.body)}`);
  const mail = (await readInstallationMail(server.database, { tag: 'first-passkey' })).at(-1);
  const token = /\/auth\/passkeys\/first\/([\w-]{43})/.exec(mail?.text ?? '')?.[1];
  if (token === undefined) throw new Error(`no link in ${mail?.text}`);
  return token;
}

/** Adds a passkey to the signed-in user, as the page's script does. A first one that approves is confirmed from the mailbox. */
export async function addPasskey(
  server: TestApp,
  session: Pick<TestSession, 'call' | 'cookie'>,
  given: {
    readonly name?: string;
    readonly passkey?: TestPasskey;
    readonly challenged?: Challenged;
    /** Of the mail; null sends none. */
    readonly link?: string | null;
    readonly signing?: Partial<SigningOptions>;
    readonly statement?: Buffer<ArrayBuffer>;
  } = {},
): Promise<TestResponse & { readonly passkey: TestPasskey }> {
  const { name = 'Laptop', passkey = createPasskey(), signing, statement } = given;
  const isAsked = given.challenged === undefined && given.link === undefined;
  const link = isAsked ? await requestFirstPasskeyLink(server, session) : (given.link ?? undefined);
  const { options, cookie } = given.challenged ?? (await startRegistering(session, server.baseUrl, undefined, link));
  const credential = passkey.register(options, { origin: server.baseUrl, ...signing }, statement);
  const headers = { cookie: `${session.cookie}; ${cookie}` };
  const response = await session.call('POST', '/auth/passkeys/register', { headers, body: { name, credential, link } });
  if (response.status === 201) LAST.set(session.cookie, passkey);
  return { ...response, passkey };
}

export async function startSigningIn(server: TestApp): Promise<Challenged> {
  const headers = { origin: server.baseUrl };
  const response = await server.call('POST', '/auth/passkeys/sign-in/options', { key: null, headers, body: {} });
  if (response.status !== 200) throw new Error(JSON.stringify(response.body));
  return { options: response.body, cookie: cookieOf(response, 'passkey') };
}

/** Signs in with a passkey, as the sign-in page's script does. */
export async function signInWith(
  server: TestApp,
  passkey: TestPasskey,
  given: {
    readonly challenged?: Challenged;
    readonly signing?: Partial<SigningOptions>;
    readonly cookie?: string;
  } = {},
): Promise<TestResponse> {
  const { options, cookie } = given.challenged ?? (await startSigningIn(server));
  const credential = passkey.sign(options, { origin: server.baseUrl, ...given.signing });
  const cookies = given.cookie === undefined ? cookie : `${given.cookie}; ${cookie}`;
  const headers = { origin: server.baseUrl, accept: 'application/json', cookie: cookies };
  return await server.call('POST', '/auth/passkeys/sign-in', { key: null, headers, body: { credential } });
}

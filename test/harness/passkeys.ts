import { createPasskey, type SigningOptions, type TestPasskey } from './passkey-authenticator.ts';
import { cookieOf, type TestSession } from './session.ts';
import type { TestApp, TestResponse } from './test-app.ts';

/** The options that a page got, and the cookie with which they are bound to its browser. */
export interface Challenged {
  // biome-ignore lint/suspicious/noExplicitAny: the options are passed on to the authenticator
  readonly options: any;
  readonly cookie: string;
}

export async function startRegistering({ call }: Pick<TestSession, 'call'>): Promise<Challenged> {
  const response = await call('POST', '/auth/passkeys/register/options', { body: {} });
  if (response.status !== 200) throw new Error(JSON.stringify(response.body));
  return { options: response.body, cookie: cookieOf(response, 'passkey') };
}

/** Adds a passkey to the signed-in user, as the page's script does. */
export async function addPasskey(
  server: TestApp,
  session: Pick<TestSession, 'call' | 'cookie'>,
  given: {
    readonly name?: string;
    readonly passkey?: TestPasskey;
    readonly challenged?: Challenged;
    readonly signing?: Partial<SigningOptions>;
    readonly statement?: Buffer<ArrayBuffer>;
  } = {},
): Promise<TestResponse & { readonly passkey: TestPasskey }> {
  const { name = 'Laptop', passkey = createPasskey(), signing, statement } = given;
  const { options, cookie } = given.challenged ?? (await startRegistering(session));
  const credential = passkey.register(options, { origin: server.baseUrl, ...signing }, statement);
  const headers = { cookie: `${session.cookie}; ${cookie}` };
  const response = await session.call('POST', '/auth/passkeys/register', { headers, body: { name, credential } });
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

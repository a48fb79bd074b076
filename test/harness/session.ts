import type { CallOptions, TestApp, TestResponse } from './test-app.ts';

/** A signed-in browser, as its requests show it. */
export interface TestSession {
  /** Name and value of the cookie. */
  readonly cookie: string;
  readonly user: { readonly id: string; readonly memberId: string; readonly email: string; readonly role: string };
  readonly account: { readonly id: string; readonly name: string };
  call(method: string, path: string, options?: CallOptions): Promise<TestResponse>;
}

/** Signs in with the development sign-in. An unknown address creates an account. */
export async function signInAs(server: TestApp, email: string): Promise<TestSession> {
  const response = await server.call('POST', '/dev/session', { key: null, body: { email } });
  if (response.status !== 200) throw new Error(JSON.stringify(response.body));
  const { user, account } = response.body;
  return { ...browserOf(server, cookieOf(response, 'session')), user, account };
}

/** Sends requests as a browser with this cookie does. */
export function browserOf(server: TestApp, cookie: string): Pick<TestSession, 'cookie' | 'call'> {
  return {
    cookie,
    call: (method, path, options = {}) =>
      server.call(method, path, {
        ...options,
        key: null,
        headers: { cookie, origin: server.baseUrl, ...options.headers },
      }),
  };
}

/** `name=value` of the cookie that a response sets. */
export function cookieOf({ headers }: Pick<TestResponse, 'headers'>, name: string): string {
  const found = headers.getSetCookie().find((line) => line.startsWith(`${name}=`));
  if (found === undefined) throw new Error(`no cookie ${name} in ${headers.getSetCookie().join(' | ')}`);
  return found.slice(0, found.indexOf(';'));
}

/** Adds a member with this address to the test's account and signs them in. */
export async function joinAs(
  server: TestApp,
  owner: TestSession,
  role: string,
  email = `${role}@sandbox.test`,
): Promise<TestSession> {
  const invited = await owner.call('POST', '/team/invitations', { body: { email, role } });
  if (invited.status !== 201) throw new Error(JSON.stringify(invited.body));
  return await signInAs(server, email);
}

import type { TestSession } from './session.ts';
import type { TestApp, TestResponse } from './test-app.ts';

/** A request for access in the user's browser, up to the page on which they decide. */
export interface OpenRequest {
  /** The path of the consent page. */
  readonly consent: string;
  /** The cookies of the browser, with that of the user. */
  readonly cookie: string;
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' } as const;

/** A page as a browser requests it, without following redirects. */
function visit(server: TestApp, url: string | URL, cookie: string): Promise<Response> {
  return fetch(new URL(url, server.baseUrl), { headers: { cookie, accept: 'text/html' }, redirect: 'manual' });
}

/** Opens an authorization URL in the browser of a user. */
export async function openRequest(
  server: TestApp,
  session: Pick<TestSession, 'cookie'>,
  authorizationUrl: string | URL,
): Promise<OpenRequest> {
  const started = await visit(server, authorizationUrl, session.cookie);
  const consent = started.headers.get('location') ?? '';
  if (!consent.startsWith('/oauth/consent/')) throw new Error(`${started.status} ${consent} ${await started.text()}`);
  const cookies = started.headers.getSetCookie().map((line) => line.slice(0, line.indexOf(';')));
  return { consent, cookie: [session.cookie, ...cookies].join('; ') };
}

/** Sends the form of the page. Returns the response of the page itself. */
export async function sendDecision(
  session: TestSession,
  { consent, cookie }: OpenRequest,
  choices: Readonly<Record<string, string>> = {},
): Promise<TestResponse> {
  const fields = { decision: 'allow', member: session.user.memberId, ...choices };
  return await session.call('POST', consent, {
    headers: { ...FORM, cookie },
    rawBody: new URLSearchParams(fields).toString(),
  });
}

/** What a user does on the page. Returns the program's redirect URI with the result, to which the browser is sent. */
export async function decideRequest(
  server: TestApp,
  session: TestSession,
  request: OpenRequest,
  choices: Readonly<Record<string, string>> = {},
): Promise<URL> {
  const decided = await sendDecision(session, request, choices);
  const next = /^0;url=(.*)$/.exec(decided.headers.get('refresh') ?? '')?.[1];
  if (next === undefined) throw new Error(`${decided.status} ${String(decided.body)}`);
  const resumed = await visit(server, next, request.cookie);
  return new URL(resumed.headers.get('location') ?? `none: ${await resumed.text()}`);
}

/** All of it: what a user does whom a program sends to an authorization URL. */
export async function allowInBrowser(
  server: TestApp,
  session: TestSession,
  authorizationUrl: string | URL,
  choices: Readonly<Record<string, string>> = {},
): Promise<URL> {
  return await decideRequest(server, session, await openRequest(server, session, authorizationUrl), choices);
}

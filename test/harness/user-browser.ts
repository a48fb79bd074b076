import type { TestSession } from './session.ts';
import type { TestApp } from './test-app.ts';

/**
 * What a user does whom a program sends to an authorization URL: follows it, decides on the page, and is sent back. Returns the program's
 * redirect URI with the result.
 */
export async function allowInBrowser(
  server: TestApp,
  session: TestSession,
  authorizationUrl: string | URL,
  choices: Readonly<Record<string, string>> = {},
): Promise<URL> {
  const visit = (url: string | URL, cookie: string) =>
    fetch(new URL(url, server.baseUrl), { headers: { cookie, accept: 'text/html' }, redirect: 'manual' });
  const started = await visit(authorizationUrl, session.cookie);
  const consent = started.headers.get('location') ?? '';
  if (!consent.startsWith('/oauth/consent/')) throw new Error(`${started.status} ${consent} ${await started.text()}`);
  const cookies = started.headers.getSetCookie().map((line) => line.slice(0, line.indexOf(';')));
  const cookie = [session.cookie, ...cookies].join('; ');
  const decided = await session.call('POST', consent, {
    headers: { 'content-type': 'application/x-www-form-urlencoded', cookie },
    rawBody: new URLSearchParams({ decision: 'allow', ...choices }).toString(),
  });
  const next = /^0;url=(.*)$/.exec(decided.headers.get('refresh') ?? '')?.[1];
  if (next === undefined) throw new Error(`${decided.status} ${String(decided.body)}`);
  return new URL((await visit(next, cookie)).headers.get('location') ?? '');
}

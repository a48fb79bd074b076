import type { SigningOptions, TestPasskey } from './passkey-authenticator.ts';
import type { TestSession } from './session.ts';
import type { TestApp, TestResponse } from './test-app.ts';

/** A form as a page sends it. */
export type Fields = Readonly<Record<string, string>>;

/** The challenge that a page gets for a form. */
export interface PageChallenge {
  // biome-ignore lint/suspicious/noExplicitAny: the options are passed on to the authenticator
  readonly options: any;
  readonly sealed: string;
}

export async function postForm(
  session: Pick<TestSession, 'call'>,
  path: string,
  fields: Fields,
): Promise<TestResponse> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' };
  return await session.call('POST', path, { headers, rawBody: new URLSearchParams(fields).toString() });
}

/** Asks for the challenge of a form, as the page's script does. */
export async function askForChallenge(
  session: Pick<TestSession, 'call'>,
  path: string,
  fields: Fields,
): Promise<PageChallenge> {
  const response = await postForm(session, path, { ...fields, passkeyAsk: '1' });
  if (response.body?.sealed === undefined) throw new Error(`${response.status} ${JSON.stringify(response.body)}`);
  return response.body;
}

/** The fields that carry a signature. */
export function signatureFields(
  server: Pick<TestApp, 'baseUrl'>,
  passkey: TestPasskey,
  { options, sealed }: PageChallenge,
  signing: Partial<SigningOptions> = {},
): Fields {
  const credential = passkey.sign(options, { origin: server.baseUrl, ...signing });
  return { passkeyAssertion: JSON.stringify(credential), passkeySealed: sealed };
}

/** Sends a form with the signature of a passkey over what it does. */
export async function postConfirmed(
  server: Pick<TestApp, 'baseUrl'>,
  session: Pick<TestSession, 'call'>,
  passkey: TestPasskey,
  path: string,
  fields: Fields,
  signing: Partial<SigningOptions> = {},
): Promise<TestResponse> {
  const challenge = await askForChallenge(session, path, fields);
  return await postForm(session, path, { ...fields, ...signatureFields(server, passkey, challenge, signing) });
}

import * as oidc from 'openid-client';
import type { OAuthSetting } from '../../config/setting-values.ts';
import type { Arrival } from '../sign-in.ts';
import { toProviderAddress, toProviderName } from './provider-claims.ts';

const PUBLIC = 'https://github.com';

/** The user of a GitHub token: their numeric id, and their primary address if GitHub has verified it. */
export async function readGithubUser(
  configuration: oidc.Configuration,
  { issuer, name: provider }: OAuthSetting,
  token: string,
): Promise<Arrival> {
  // GitHub Enterprise Server serves its API under its own host.
  const api = issuer === PUBLIC ? 'https://api.github.com' : `${issuer}/api/v3`;
  const ask = async (path: string): Promise<unknown> => {
    const headers = new Headers({ accept: 'application/vnd.github+json' });
    const response = await oidc.fetchProtectedResource(
      configuration,
      token,
      new URL(`${api}${path}`),
      'GET',
      null,
      headers,
    );
    if (!response.ok) throw new Error(`${path} responded with ${response.status}`);
    return await response.json();
  };
  const [user, emails] = await Promise.all([ask('/user'), ask('/user/emails')]);
  if (!isRecord(user) || typeof user['id'] !== 'number') throw new Error('/user returned no id');
  // User names can be released and taken by others; the number never changes.
  const identity = { issuer, subject: String(user['id']) };
  const name = toProviderName(user['name']);
  return { email: primaryEmail(emails), name, identity, how: `oauth:${provider}` };
}

function primaryEmail(emails: unknown): string | null {
  const list: readonly unknown[] = Array.isArray(emails) ? emails : [];
  const primary = list.find((entry) => isRecord(entry) && entry['primary'] === true && entry['verified'] === true);
  return isRecord(primary) ? toProviderAddress(primary['email']) : null;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

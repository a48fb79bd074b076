import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readCredentials, readProfile } from '@postrider/mcp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const PROFILE = { baseUrl: 'http://127.0.0.1:8025', key: 'pr_live_profile', accountId: 'a' };

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'postrider-credentials-'));
});
afterEach(() => rm(directory, { recursive: true }));

async function writeProfile(content: unknown, folder = '.postrider'): Promise<string> {
  await mkdir(path.join(directory, folder), { recursive: true });
  const file = path.join(directory, folder, 'quickstart.json');
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

describe('the credentials', () => {
  it('come from the two variables', async () => {
    const environment = { POSTRIDER_API_KEY: 'pr_live_env', POSTRIDER_BASE_URL: 'https://mail.example.com/' };
    expect(await readCredentials(environment, directory)).toEqual({
      ok: true,
      credentials: { apiKey: 'pr_live_env', baseUrl: 'https://mail.example.com' },
      path: null,
    });
  });

  it('come from the profile in ./.postrider when no variable is set or it is empty', async () => {
    await writeProfile(PROFILE);
    expect(await readCredentials({ POSTRIDER_API_KEY: ' ' }, directory)).toEqual({
      ok: true,
      credentials: { apiKey: PROFILE.key, baseUrl: PROFILE.baseUrl },
      path: path.join(directory, '.postrider', 'quickstart.json'),
    });
  });

  it('come from the profile in POSTRIDER_DATA_DIR when that is set', async () => {
    await writeProfile(PROFILE);
    await writeProfile({ ...PROFILE, key: 'pr_live_other' }, 'elsewhere');
    const verdict = await readCredentials({ POSTRIDER_DATA_DIR: 'elsewhere' }, directory);
    expect(verdict).toMatchObject({ ok: true, credentials: { apiKey: 'pr_live_other' } });
  });

  it('use the address of the profile, otherwise the default one, for a key from the variable', async () => {
    const environment = { POSTRIDER_API_KEY: 'pr_live_env' };
    expect(await readCredentials(environment, directory)).toMatchObject({
      credentials: { apiKey: 'pr_live_env', baseUrl: 'http://127.0.0.1:8025' },
    });
    await writeProfile({ ...PROFILE, baseUrl: 'http://127.0.0.1:9000' });
    expect(await readCredentials(environment, directory)).toMatchObject({
      credentials: { apiKey: 'pr_live_env', baseUrl: 'http://127.0.0.1:9000' },
    });
  });

  it('never send the profile’s key to another address', async () => {
    await writeProfile(PROFILE);
    const verdict = await readCredentials({ POSTRIDER_BASE_URL: 'https://elsewhere.example.com' }, directory);
    expect(verdict).toMatchObject({ ok: false });
    expect(JSON.stringify(verdict)).toContain('No API key for https://elsewhere.example.com');
    expect(JSON.stringify(verdict)).not.toContain(PROFILE.key);
  });

  it('are reported missing with what to set, and where a profile was looked for', async () => {
    const verdict = await readCredentials({}, directory);
    expect(verdict).toMatchObject({ ok: false });
    expect(JSON.stringify(verdict)).toContain('POSTRIDER_API_KEY');
    expect(JSON.stringify(verdict)).toContain(path.join(directory, '.postrider', 'quickstart.json'));
  });

  it('reject an invalid address, without looking further', async () => {
    for (const address of ['example.com', 'ftp://example.com', 'localhost:8025']) {
      const environment = { POSTRIDER_API_KEY: 'pr_live_env', POSTRIDER_BASE_URL: address };
      expect(await readCredentials(environment, directory)).toMatchObject({
        ok: false,
        message: 'POSTRIDER_BASE_URL is not an http or https URL.',
      });
    }
  });

  it.each([
    ['is cut off', '{"baseUrl":'],
    ['has no key', { baseUrl: PROFILE.baseUrl }],
    ['has no address', { key: PROFILE.key, baseUrl: 'nowhere' }],
    ['is a list', []],
  ])('name a profile that %s', async (_, content) => {
    const file = await writeProfile(content);
    const verdict = await readCredentials({}, directory);
    expect(verdict).toMatchObject({ ok: false, message: expect.stringContaining(file) });
  });
});

describe('the profile', () => {
  it('is null when there is none', async () => {
    expect(await readProfile({}, directory)).toEqual({ ok: true, profile: null });
  });

  it('says which file it is from', async () => {
    const file = await writeProfile(PROFILE);
    expect(await readProfile({}, directory)).toEqual({
      ok: true,
      profile: { path: file, key: PROFILE.key, baseUrl: PROFILE.baseUrl },
    });
  });
});

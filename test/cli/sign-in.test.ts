import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { signInAs, type TestSession } from '../harness/session.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { runAgainst, runInProcess, type Terminal } from './run-in-process.ts';

describe('users at the command line', () => {
  let server: TestApp;
  let owner: TestSession;
  let folder: string;
  beforeAll(async () => {
    server = await startTestApp();
    owner = await signInAs(server, 'owner@sandbox.test');
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postrider-cli-'));
    return () => rm(folder, { recursive: true, force: true });
  });

  const run = (argv: readonly string[], terminal: Terminal = {}) =>
    runInProcess(argv, { cwd: folder, ...terminal, env: { POSTRIDER_CONFIG_DIR: folder, ...terminal.env } });

  /** Signs in as the owner does: the program waits while the person confirms in a browser. */
  async function login(...more: readonly string[]) {
    const before = new Set(
      (await server.database.sql`SELECT user_code FROM device_codes`).map((row) => row['user_code']),
    );
    const running = run(['login', '--base-url', server.baseUrl, '--json', ...more]);
    const fresh = async () => {
      const codes = (await server.database.sql`SELECT user_code FROM device_codes`).map((row) => row['user_code']);
      return codes.find((code) => !before.has(code)) ?? null;
    };
    await expect.poll(fresh, { timeout: 5_000, interval: 20 }).not.toBeNull();
    await owner.call('POST', '/auth/device/confirm', { body: { userCode: await fresh() } });
    return await running;
  }
  const credentials = async () => JSON.parse(await readFile(join(folder, 'credentials.json'), 'utf8'));

  it('sign in with a code, see only their own data, act as themselves, and sign out', {
    tags: ['sessions.device'],
  }, async () => {
    const { code, stdout, stderr } = await login();
    expect(stderr).toMatch(new RegExp(`^Open ${server.baseUrl}/auth/device\nand type the code [A-Z-]{9}\n$`));
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      expect.objectContaining({ profile: 'default', baseUrl: server.baseUrl, authenticated: true }),
    ]);
    expect(stdout).not.toContain('prs_');
    expect((await stat(join(folder, 'credentials.json'))).mode & 0o777).toBe(0o600);
    expect(JSON.parse((await run(['whoami', '--json'])).stdout).user.email).toBe('owner@sandbox.test');
    const sheet = (await run(['whoami'], { columns: 100, env: { NO_COLOR: '1' } })).stdout;
    expect(sheet).toMatch(/^user +owner@sandbox\.test$/m);
    expect(sheet).toMatch(/^role +owner$/m);
    expect(sheet).toMatch(/^client +Postrider CLI \S+ on \S+$/m);
    expect(sheet).toMatch(/^held sends +cannot approve or reject$/m);
    expect((await run(['audit', 'verify', '--json'])).code).toBe(0);
    expect((await run(['doctor', '--json'])).stdout).toContain('owner@sandbox.test is signed in as owner');
    const { token } = (await credentials()).saved.default;
    const left = await run(['logout'], { columns: 80 });
    expect([left.code, left.stdout]).toEqual([0, 'Signed out of Acme and deleted the profile default.\n']);
    expect((await server.call('GET', '/auth/session', { key: token })).body.authenticated).toBe(false);
    expect((await run(['logout'])).code).toBe(3);
    expect((await run(['whoami'])).code).toBe(3);
  });

  it('have profiles: a flag overrides the environment, then the profile in use, then the quickstart file', async () => {
    await login('--profile', 'work');
    await login('--profile', 'home');
    const list = JSON.parse((await run(['profiles', 'list', '--json'])).stdout).profiles;
    expect(list).toEqual([
      expect.objectContaining({ name: 'work', current: false, email: 'owner@sandbox.test', accountName: 'Acme' }),
      expect.objectContaining({ name: 'home', current: true }),
    ]);
    expect(JSON.stringify(list)).not.toContain('prs_');
    expect((await run(['profiles', 'use', 'work'], { columns: 80 })).stdout).toBe('The current profile is work.\n');
    expect((await run(['profiles', 'list'], { columns: 120, env: { NO_COLOR: '1' } })).stdout).toMatch(/^\* work /m);
    // Who is asked as whom: a person, or a key.
    const who = async (argv: readonly string[], env: Terminal['env'] = {}) => {
      const { code, stdout } = await run(['whoami', '--json', ...argv], { env });
      return code === 0 ? (JSON.parse(stdout).user?.email ?? JSON.parse(stdout).name) : code;
    };
    const key = { POSTRIDER_API_KEY: server.key, POSTRIDER_BASE_URL: server.baseUrl };
    expect(await who([])).toBe('owner@sandbox.test');
    expect(await who([], key)).toBe('First key');
    expect(await who(['--profile', 'home'], key)).toBe('owner@sandbox.test');
    expect(await who(['--api-key', server.key, '--base-url', server.baseUrl, '--profile', 'home'])).toBe('First key');
    expect(await who([], { POSTRIDER_PROFILE: 'home' })).toBe('owner@sandbox.test');
    expect(await who(['--profile', 'nope'])).toBe(3);
    const quickstart = { baseUrl: server.baseUrl, key: server.key };
    await writeFile(join(folder, 'quickstart.json'), JSON.stringify(quickstart));
    expect(await who(['--data-dir', folder])).toBe('First key');
    // A data directory in the environment may be the server's own setting, so that the sign-in wins over its file.
    expect(await who([], { POSTRIDER_DATA_DIR: folder })).toBe('owner@sandbox.test');
    // A token goes to its own server alone.
    expect(await who(['--profile', 'home', '--base-url', 'http://127.0.0.1:1'])).toBe(2);
    expect(await who([], { POSTRIDER_BASE_URL: 'http://127.0.0.1:1' })).toBe(3);
    expect((await run(['profiles', 'remove', 'work', '--json'])).stdout).toBe('{"profile":"work","removed":true}\n');
    expect((await run(['profiles', 'remove', 'work'])).code).toBe(5);
    expect((await run(['profiles', 'use', 'nope'])).code).toBe(5);
    expect((await run(['profiles', 'use'])).code).toBe(2);
    expect(await who([])).toBe(3);
    await writeFile(join(folder, 'credentials.json'), '{');
    const broken = await run(['whoami', '--json']);
    expect([broken.code, JSON.parse(broken.stderr).code]).toEqual([3, 'bad_profiles']);
  });

  it('are signed in before the key of a quickstart file in their working directory applies', async () => {
    await mkdir(join(folder, '.postrider'));
    const quickstart = { baseUrl: server.baseUrl, key: server.key };
    await writeFile(join(folder, '.postrider/quickstart.json'), JSON.stringify(quickstart));
    const who = async () => JSON.parse((await run(['whoami', '--json'])).stdout);
    expect((await who()).name).toBe('First key');
    await login();
    expect((await who()).user.email).toBe('owner@sandbox.test');
    await run(['logout']);
    expect((await who()).name).toBe('First key');
  });

  it('trigger webhook events, and see which file has the sign-in', async () => {
    await login();
    const triggered = await run(['webhooks', 'trigger', 'email.delivered', '--json']);
    expect([triggered.code, triggered.stderr]).toEqual([0, '']);
    const { body } = await server.call('GET', `/emails/${JSON.parse(triggered.stdout).emailId}`);
    expect(body.to).toBe('delivered+trigger@sandbox.test');
    const source = async (...argv: string[]) =>
      JSON.parse((await run(['doctor', '--json', ...argv])).stdout).checks[0].message;
    expect(await source()).toMatch(
      new RegExp(
        `^The key \\(prs_\\S{4}…\\) and the address come from the profile default in ${folder}/credentials.json\\.$`,
      ),
    );
    await writeFile(join(folder, 'quickstart.json'), JSON.stringify({ baseUrl: server.baseUrl, key: server.key }));
    expect(await source('--data-dir', folder)).toMatch(
      new RegExp(` and the address come from ${folder}/quickstart.json\\.$`),
    );
  });

  it('manage the team', { tags: ['team.invitations'] }, async () => {
    const env = { POSTRIDER_API_KEY: server.key, POSTRIDER_BASE_URL: server.baseUrl };
    const team = async (...argv: string[]) => await run(['team', ...argv], { env });
    const invited = JSON.parse((await team('invite', 'ada@sandbox.test', '--role', 'developer', '--json')).stdout);
    expect(invited).toMatchObject({ email: 'ada@sandbox.test', status: 'invited' });
    expect(JSON.parse((await team('change', invited.id, '--role', 'viewer', '--json')).stdout).role).toBe('viewer');
    const table = await run(['team', 'list'], { env: { ...env, NO_COLOR: '1' }, columns: 120 });
    expect(table.stdout).toMatch(/^ada@sandbox\.test +viewer +invited/m);
    expect(table.stderr).toContain('2 of 25 seats used.');
    expect((await team('remove', invited.id)).code).toBe(0);
    expect((await team('remove', invited.id)).code).toBe(5);
    expect((await team('invite', 'boss@sandbox.test', '--role', 'owner')).code).toBe(4);
    expect((await team('invite', 'x@sandbox.test', '--role', 'king')).code).toBe(2);
  });

  it('are notified when no one confirmed, and poll no faster than the server allows', async () => {
    const device = {
      status: 200,
      body: {
        deviceCode: 'd',
        userCode: 'BBBB-CCCC',
        verificationUrl: 'http://x.test/auth/device',
        expiresIn: 900,
        interval: 1,
      },
    };
    const refusal = (code: string) => ({
      status: 400,
      body: { code, title: code, status: 400, detail: code, fix: 'x', retryable: true },
    });
    const replies = [device, refusal('authorization_pending'), refusal('device_code_expired')];
    const { code, stderr, received } = await runAgainst(replies, ['login', '--json'], {
      env: { POSTRIDER_CONFIG_DIR: folder },
    });
    expect([code, received.map(({ url }) => url)]).toEqual([
      3,
      ['/auth/device', '/auth/device/token', '/auth/device/token'],
    ]);
    expect(stderr).toContain('BBBB-CCCC');
    await expect(stat(join(folder, 'credentials.json'))).rejects.toThrow('ENOENT');
  });
});

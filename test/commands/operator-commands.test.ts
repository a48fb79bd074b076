import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProgram } from '../../packages/server/src/commands/program.ts';
import { runServer as runCommandLine } from '../../packages/server/src/commands/run-server.ts';
import { SETTINGS } from '../../packages/server/src/config.ts';
import { databaseEnvironment, type Environment, runServer } from '../harness/server-process.ts';
import { TEST_SECRET_KEY } from '../harness/template-database.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

const CREATE = ['accounts', 'create', '--name', 'New one', '--owner', 'Ada <ada@example.com>'];
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('operator commands', () => {
  /** A server that runs beside the commands, on the same database. */
  let server: TestApp;
  let dataDir: string;
  let development: Environment;
  let production: Environment;
  beforeAll(async () => {
    server = await startTestApp();
    dataDir = await mkdtemp(join(tmpdir(), 'postrider-operator-'));
    const secret = TEST_SECRET_KEY.toString('base64');
    // What the drivers read where a URL names no host.
    const { PGHOST, PGUSER } = databaseEnvironment(server.database);
    Object.assign(process.env, { PGHOST, PGUSER });
    development = {
      ...databaseEnvironment(server.database),
      POSTRIDER_DATA_DIR: dataDir,
      POSTRIDER_SECRET_KEY: secret,
    };
    production = { ...development, POSTRIDER_MODE: 'production', POSTRIDER_TRANSPORT: 'capture' };
  });
  afterAll(async () => {
    await server.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  /** Runs a command line in this process; `_` in a word is a space. */
  async function run(args: string, env: Environment = production): Promise<string> {
    let written = '';
    const program = createProgram({
      environment: env,
      write: (text) => {
        written += text;
      },
      progress: () => undefined,
    });
    // By itself the program would end this process on a wrong command line.
    for (const command of [program, ...program.commands, ...program.commands.flatMap(({ commands }) => commands)]) {
      command.exitOverride().configureOutput({ writeErr: () => undefined });
    }
    const words = args.split(' ').map((word) => word.replaceAll('_', ' '));
    await program.parseAsync(words, { from: 'user' });
    return written;
  }

  /** As the program does, with its exit code, in this process. */
  async function runHere(words: readonly string[], environment: Environment) {
    let [stdout, stderr] = ['', ''];
    const code = await runCommandLine(words, {
      environment,
      write: (text) => {
        stdout += text;
      },
      writeError: (text) => {
        stderr += text;
      },
      progress: (text) => {
        stderr += `${text} …`;
      },
    });
    return { code, stdout, stderr };
  }

  async function refusal(args: string): Promise<string> {
    const error = await run(args).then(
      () => new Error('nothing was refused'),
      (reason: Error) => reason,
    );
    return 'fix' in error ? `${error.message} Fix: ${String(error.fix)}` : error.message;
  }

  it('accounts create creates an account whose key works immediately, in every mode', {
    tags: ['contract-operator.accounts', 'contract-operator.anywhere', 'contract-running.production-start'],
  }, async () => {
    for (const env of [development, production]) {
      const { code, stdout, stderr } = await runServer([...CREATE, '--json'], env);
      expect([code, stderr]).toEqual([0, expect.not.stringContaining('error')]);
      const created = JSON.parse(stdout);
      expect(created).toEqual({ accountId: expect.stringMatching(ID), key: expect.stringMatching(/^pr_live_\w{39}$/) });
      const { body } = await server.call('GET', '/keys/self', { key: created.key });
      expect(body).toMatchObject({ account: { id: created.accountId, name: 'New one' } });
      expect(body.scopes).toHaveLength(25);
    }
  });

  it('accounts list, suspend and resume act on the running server', {
    tags: ['contract-operator.accounts', 'contract-operator.anywhere'],
  }, async () => {
    const { accountId, key } = await server.newAccount('To suspend');
    const suspended = JSON.parse(await run(`accounts suspend ${accountId} --json`));
    expect(suspended).toMatchObject({
      accountId,
      name: 'To suspend',
      status: 'suspended',
      suspendedAt: expect.stringMatching(/Z$/),
    });
    const refused = await server.send({}, { key });
    expect([refused.status, refused.body.code]).toEqual([403, 'account_suspended']);
    const { accounts } = JSON.parse(await run('accounts list --json'));
    expect(accounts).toContainEqual({
      accountId,
      name: 'To suspend',
      plan: 'self_hosted',
      ownerEmail: 'other@sandbox.test',
      status: 'suspended',
      suspendedAt: suspended.suspendedAt,
      createdAt: expect.stringMatching(/Z$/),
    });
    expect(JSON.parse(await run(`accounts resume ${accountId} --json`))).toMatchObject({
      status: 'active',
      suspendedAt: null,
    });
    expect((await server.send({}, { key })).status).toBe(202);
  });

  it('accounts hold-hours sets when holds of an account expire', { tags: ['approvals.expiry'] }, async () => {
    const { accountId } = await server.newAccount('With holds');
    expect(JSON.parse(await run(`accounts hold-hours ${accountId} 24 --json`))).toEqual({ accountId, holdHours: 24 });
    const [row] = await server.database.sql`SELECT approval_hours FROM accounts WHERE id = ${accountId}`;
    expect(row).toEqual({ approval_hours: 24 });
    for (const hours of ['0', '721', 'many']) {
      expect(await refusal(`accounts hold-hours ${accountId} ${hours}`)).toContain('is not a valid number of hours');
    }
  });

  it('keys create creates a key with scopes and an allowlist', {
    tags: ['contract-operator.keys', 'keys.scopes-and-allowlist'],
  }, async () => {
    const options =
      '--name Bot --scope emails:send emails:read --allow-recipient @Bücher.example ann@example.com --json';
    const created = JSON.parse(await run(`keys create --account ${server.accountId} ${options}`));
    expect(created).toEqual({ keyId: expect.stringMatching(ID), key: expect.stringMatching(/^pr_live_/) });
    expect((await server.call('GET', '/keys/self', { key: created.key })).body).toMatchObject({
      id: created.keyId,
      name: 'Bot',
      scopes: ['emails:send', 'emails:read'],
      recipientAllowlist: ['@xn--bcher-kva.example', 'ann@example.com'],
    });
  });

  it('keys create sets the rate limit, and is in the audit log as the operator’s action', async () => {
    const { keyId, key } = JSON.parse(await run(`keys create --account ${server.accountId} --rate-limit 5000 --json`));
    expect((await server.call('GET', '/keys/self', { key })).body.rateLimit).toBe(5_000);
    const rows = await server.database.sql`SELECT action, actor FROM audit_log WHERE target_id = ${keyId}`;
    expect(rows).toEqual([{ action: 'key.created', actor: 'operator' }]);
  });

  it('keys create gives a key a persona, used by its sends unless their body or headers say otherwise', {
    tags: [
      'emails-send.provenance-persona',
      'emails-send.provenance-precedence-persona',
      'contract-sending.provenance-persona',
    ],
  }, async () => {
    const created = await run(
      `keys create --account ${server.accountId} --agent-name Support_bot --source automation --json`,
    );
    const { key } = JSON.parse(created);
    expect((await server.call('GET', '/keys/self', { key })).body).toMatchObject({
      persona: { agentName: 'Support bot', source: 'automation' },
    });
    const provenanceOf = async (body: object, headers: Record<string, string> = {}) => {
      const email = { from: 'a@sandbox.test', to: 'delivered@sandbox.test', subject: 'Hi', text: 'Hi', ...body };
      const sent = await server.call('POST', '/emails', { key, body: email, headers });
      const read = await server.call('GET', `/emails/${sent.body.id}`, { key });
      return [read.body.agentName, read.body.source];
    };
    expect(await provenanceOf({})).toEqual(['Support bot', 'automation']);
    expect(await provenanceOf({}, { 'X-Service-Agent': 'Header' })).toEqual(['Header', 'automation']);
    expect(await provenanceOf({ source: 'system' }, { 'X-Service-Source': 'backend' })).toEqual([
      'Support bot',
      'system',
    ]);
  });

  it('write plain text without --json, and show a key once', {
    tags: ['contract-operator.accounts', 'contract-operator.keys'],
  }, async () => {
    expect(await run(`keys create --account ${server.accountId}`)).toMatch(
      /^key {5}pr_live_\w{39} {3}\(shown once\)\n$/,
    );
    expect(await run('accounts list')).toContain(`${server.accountId}  active     owner@sandbox.test  Acme\n`);
  });

  it('migrate updates the schema, and can be repeated', {
    tags: ['contract-operator.migrate'],
  }, async () => {
    expect(JSON.parse(await run('migrate --json'))).toEqual({ migrated: true });
    expect(await run('migrate')).toBe('The schema is up to date.\n');
  });

  it('exit with 1 and write the error to stderr, nothing to stdout', async () => {
    const { code, stdout, stderr } = await runServer(['accounts', 'suspend', 'nonsense'], production);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('error: There is no account nonsense.\n  fix: ');
  });

  it('say what is wrong and what to do, and change nothing', async () => {
    const before = JSON.parse(await run('accounts list --json')).accounts.length;
    const never = '01936a2e-0000-7000-8000-000000000000';
    const refusals = await Promise.all([
      refusal('accounts create --name X --owner nobody'),
      refusal(`accounts create --name ${'x'.repeat(101)} --owner a@b.co`),
      refusal('accounts create --name X'),
      refusal(`accounts suspend ${never}`),
      refusal('accounts suspend nonsense'),
      refusal(`keys create --account ${never}`),
      refusal(`keys create --account ${server.accountId} --scope emails:fly constructor`),
      refusal(`keys create --account ${server.accountId} --allow-recipient nobody`),
      refusal(`keys create --account ${server.accountId} --source nobody`),
      refusal(`keys create --account ${server.accountId} --agent-name ${'x'.repeat(129)}`),
      refusal('accounts nonsense'),
    ]);
    const words = ['--owner has no `@`', '--name is too long', "'--owner <email>'", never, 'nonsense', never];
    const more = ['Unknown scope: emails:fly, constructor', 'Invalid allowlist entry: nobody'];
    const persona = ['Unknown source: nobody', '--agent-name is not a valid agent name', 'unknown command'];
    [...words, ...more, ...persona].forEach((text, index) => expect(refusals[index]).toContain(text));
    for (const index of [0, 1, 3, 4, 5, 6, 7, 8, 9]) expect(refusals[index]).toMatch(/ Fix: \S/);
    expect(JSON.parse(await run('accounts list --json')).accounts).toHaveLength(before);
  });

  it('exit with 2 when the command line is wrong, and say why', async () => {
    const wrong = [
      ['accuonts', 'unknown command "accuonts"'],
      ['accounts nonsense', "unknown command 'nonsense'"],
      ['accounts create --name X', "required option '--owner <email>' not specified"],
      ['accounts create --name X --owner nobody', '--owner has no `@`'],
      ['migrate --fast', "unknown option '--fast'"],
      ['keys create --account x --scope emails:fly', 'Unknown scope: emails:fly'],
      ['keys create --account x --rate-limit 0', '--rate-limit is not a valid rate'],
    ] as const;
    for (const [words, said] of wrong) {
      const plain = await runHere(words.split(' '), production);
      expect([plain.code, plain.stdout], words).toEqual([2, '']);
      expect(plain.stderr).toContain(said);
      const { code, stdout, stderr } = await runHere([...words.split(' '), '--json'], production);
      expect([code, stdout, stderr.trim().split('\n').length], words).toEqual([2, '', 1]);
      const problem = { type: 'about:blank', title: 'Invalid command line', status: null, code: 'usage' };
      expect(JSON.parse(stderr)).toEqual({
        ...{ ...problem, retryable: false, requestId: null },
        ...{ detail: expect.stringContaining(said), fix: expect.stringMatching(/\S/) },
      });
    }
  });

  it('write errors as a problem to stderr with --json, and nothing to stdout', async () => {
    const { code, stdout, stderr } = await runServer(['accounts', 'suspend', 'nonsense', '--json'], production);
    expect([code, stdout]).toEqual([1, '']);
    expect(JSON.parse(stderr)).toEqual({
      ...{ type: 'about:blank', title: expect.stringMatching(/\S/), status: null, code: 'failed' },
      ...{ retryable: false, requestId: null, detail: 'There is no account nonsense.' },
      fix: expect.stringContaining('accounts list'),
    });
    const unset = await runHere(['accounts', 'list', '--json'], { ...production, POSTRIDER_PORT: 'x' });
    expect([unset.code, JSON.parse(unset.stderr).detail]).toEqual([1, expect.stringContaining('POSTRIDER_PORT')]);
  });

  it('need no secret key and create none, whatever server settings are missing', async () => {
    const { POSTRIDER_SECRET_KEY: _, ...forgotten } = development;
    const { code, stdout, stderr } = await runHere(['accounts', 'list', '--json'], forgotten);
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout).accounts.length).toBeGreaterThan(0);
    expect((await runHere(['migrate', '--json'], forgotten)).code).toBe(0);
    expect(await readdir(dataDir)).not.toContain('secret.key');
  });

  it('leave an outdated schema to `migrate`, and say so; they create it when there is none', async () => {
    const { sql } = server.database;
    const [last] =
      await sql`DELETE FROM schema_migrations WHERE name = (SELECT max(name) FROM schema_migrations) RETURNING *`;
    const { code, stderr } = await runHere(['accounts', 'list'], production);
    expect([code, stderr]).toEqual([1, expect.stringContaining('postrider-server migrate')]);
    expect(stderr).not.toContain('…');
    await sql`INSERT INTO schema_migrations SELECT * FROM json_populate_record(NULL::schema_migrations, ${JSON.stringify(last)}::text::json)`;

    const name = `empty_${randomUUID().replaceAll('-', '')}`;
    await sql.unsafe(`CREATE DATABASE ${name}`);
    const empty = { ...production, DATABASE_URL: `postgres:///${name}` };
    const created = await runHere([...CREATE, '--json'], empty);
    expect([created.code, created.stderr]).toEqual([0, '']);
    expect(JSON.parse(created.stdout).key).toMatch(/^pr_live_/);
    await sql.unsafe(`DROP DATABASE ${name}`);
  });

  it('--help lists every command and every setting with its default', {
    tags: ['contract-settings.listed'],
  }, async () => {
    const { code, stdout: help } = await runServer(['--help'], {});
    expect(code).toBe(0);
    for (const command of ['start', 'accounts', 'keys', 'migrate'])
      expect(help).toMatch(new RegExp(`^ {2}${command}\\b`, 'm'));
    for (const { name, default: byDefault } of SETTINGS) {
      const at = help.indexOf(`  ${name}\n`);
      expect(at, name).toBeGreaterThan(0);
      expect(help.slice(at, at + 500)).toContain(`Default: ${byDefault}.`);
    }
  });
});

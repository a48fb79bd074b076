import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AccountTools, createAccount } from '../../packages/server/src/accounts/create-account.ts';
import {
  prepareFirstAccount,
  type Quickstart,
  writeQuickstart,
} from '../../packages/server/src/accounts/quickstart.ts';
import { systemClock } from '../../packages/server/src/clock.ts';
import { findKeyByHash } from '../../packages/server/src/db/queries/api-keys.ts';
import { hashApiKey } from '../../packages/server/src/keys/api-key.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { useCleanUps } from '../harness/clean-ups.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

describe('the first account', () => {
  const cleanUp = useCleanUps();
  let database: TestDatabase;
  let tools: AccountTools;
  beforeAll(async () => {
    database = await createTestDatabase();
    tools = { sql: database.sql, clock: systemClock, ids: createIdGenerator() };
  });
  afterAll(() => database.drop());

  function newDataDir(): string {
    const dataDir = mkdtempSync(join(tmpdir(), 'postrider-quickstart-'));
    cleanUp(() => rmSync(dataDir, { recursive: true, force: true }));
    return dataDir;
  }

  const accounts = async () => (await database.sql`SELECT id FROM accounts`).length;
  const prepare = (dataDir: string) => prepareFirstAccount(tools, dataDir, 'sandbox.test');

  function store(dataDir: string, key: string): Quickstart {
    const quickstart: Quickstart = {
      ...{
        baseUrl: 'http://127.0.0.1:1',
        key,
        accountId: 'a',
        accountName: 'n',
        ownerEmail: 'o',
        consoleUrl: 'c',
        mcpUrl: 'm',
      },
      smtp: { host: '127.0.0.1', port: null, tlsPort: null },
    };
    writeQuickstart(dataDir, quickstart);
    return quickstart;
  }

  it('is created once, with an owner and a key with scope full, and found again after that', {
    tags: ['contract-running.second-start'],
  }, async () => {
    const dataDir = newDataDir();
    const first = await prepare(dataDir);
    expect(first).toMatchObject({
      isNew: true,
      ownerEmail: 'owner@sandbox.test',
      key: expect.stringMatching(/^pr_live_/),
    });
    store(dataDir, first.key);
    expect(await prepare(dataDir)).toEqual({ ...first, isNew: false });
    expect(await accounts()).toBe(1);
    const caller = await findKeyByHash(database.sql, hashApiKey(first.key));
    expect(caller?.storedScopes).toHaveLength(25);
  });

  it('gets a new key when the stored one is missing, broken, revoked or belongs to another account', async () => {
    const dataDir = newDataDir();
    const { key, accountId } = await prepare(dataDir);
    const keys = [key];
    const next = async () => {
      const prepared = await prepare(dataDir);
      expect(prepared).toMatchObject({ accountId, isNew: false });
      expect(keys).not.toContain(prepared.key);
      keys.push(prepared.key);
      store(dataDir, prepared.key);
    };
    await next();
    writeFileSync(join(dataDir, 'quickstart.json'), '{"key":');
    await next();
    store(dataDir, 'pr_live_nonsense');
    await next();
    store(dataDir, (await createAccount(tools, { name: 'Other', ownerEmail: 'x@y.co' })).key);
    await next();
    await database.sql`UPDATE api_keys SET revoked_at = now() - interval '1 s' WHERE last4 = ${keys.at(-1)?.slice(-4) ?? ''}`;
    await next();
    expect((await prepare(dataDir)).key).toBe(keys.at(-1));
  });

  it('is saved in full, readable by its owner only, even over a file that others could read', {
    tags: ['contract-running.quickstart'],
  }, () => {
    const dataDir = newDataDir();
    writeFileSync(join(dataDir, 'quickstart.json'), '{}', { mode: 0o644 });
    const quickstart = store(dataDir, 'k');
    const path = join(dataDir, 'quickstart.json');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(quickstart);
  });
});

describe('a new account', () => {
  it('is created with its owner and its key, or not at all', async () => {
    const database = await createTestDatabase();
    const tools = { sql: database.sql, clock: systemClock, ids: createIdGenerator() };
    await database.sql`ALTER TABLE api_keys ADD CONSTRAINT never CHECK (false) NOT VALID`;
    await expect(createAccount(tools, { name: 'A', ownerEmail: 'a@b.co' })).rejects.toThrow();
    expect(await database.sql`SELECT 1 FROM accounts`).toHaveLength(0);
    expect(await database.sql`SELECT 1 FROM members`).toHaveLength(0);
    await database.drop();
  });
});

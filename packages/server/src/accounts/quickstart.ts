import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readAccounts, readInstallationFact, writeInstallationFact } from '../db/queries/accounts.ts';
import { findKeyByHash } from '../db/queries/api-keys.ts';
import { hashApiKey, isWellFormedKey } from '../keys/api-key.ts';
import { createKey, FIRST_KEY } from '../keys/create-key.ts';
import type { AccountTools } from './create-account.ts';
import { createAccount } from './create-account.ts';

/** What a newcomer needs, written to `quickstart.json`, which is also the CLI's default profile on this machine. */
export interface Quickstart {
  readonly baseUrl: string;
  readonly key: string;
  readonly accountId: string;
  readonly accountName: string;
  readonly ownerEmail: string;
  readonly consoleUrl: string;
  /** Ports are null while SMTP submission is off. */
  readonly smtp: { readonly host: string; readonly port: number | null; readonly tlsPort: number | null };
  readonly mcpUrl: string;
}

export interface PreparedAccount {
  readonly accountId: string;
  readonly accountName: string;
  readonly ownerEmail: string;
  readonly key: string;
  /** True on the first start only. */
  readonly isNew: boolean;
}

const FILE = 'quickstart.json';
const FACT = 'first account';
const ACCOUNT_NAME = 'Postrider';

/**
 * The account of a development start: created the first time and found again later. The key is read from `quickstart.json`. If that file is
 * missing or has another database's key, a new key is created, because stored keys cannot be read back.
 */
export async function prepareFirstAccount(
  tools: AccountTools,
  dataDir: string,
  sandboxDomain: string,
): Promise<PreparedAccount> {
  const known = await readInstallationFact(tools.sql, FACT);
  if (known === null) {
    return await makeFirstAccount(tools, sandboxDomain).catch((error: unknown) => {
      if (error instanceof FirstAccountExistsError) return prepareFirstAccount(tools, dataDir, sandboxDomain);
      throw error;
    });
  }
  const [account] = await readAccounts(tools.sql, known);
  if (account === undefined) throw new Error(`The first account ${known} is gone from the database.`);
  const stored = readStoredKey(dataDir);
  const isValid = stored !== null && (await belongsTo(tools, stored, account.id));
  const key = isValid ? stored : await makeFurtherKey(tools, account.id);
  const ownerEmail = account.ownerEmail ?? `owner@${sandboxDomain}`;
  return { accountId: account.id, accountName: account.name, ownerEmail, key, isNew: false };
}

/** Writes the file atomically, readable only by its owner. */
export function writeQuickstart(dataDir: string, quickstart: Quickstart): string {
  const path = join(dataDir, FILE);
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(quickstart, null, 2)}\n`, { mode: 0o600 });
  chmodSync(draft, 0o600);
  renameSync(draft, path);
  return path;
}

async function makeFirstAccount(tools: AccountTools, sandboxDomain: string): Promise<PreparedAccount> {
  const ownerEmail = `owner@${sandboxDomain}`;
  const request = { name: ACCOUNT_NAME, ownerEmail };
  const { accountId, key } = await createAccount(tools, request, async (transaction, id) => {
    // If two processes start at once on one database, the first writer's account stays and the other's is rolled back.
    if ((await writeInstallationFact(transaction, FACT, id)) !== id) throw new FirstAccountExistsError();
  });
  return { accountId, accountName: ACCOUNT_NAME, ownerEmail, key, isNew: true };
}

class FirstAccountExistsError extends Error {}

async function makeFurtherKey(tools: AccountTools, accountId: string): Promise<string> {
  const request = { accountId, name: 'Quickstart', mode: 'live', ...FIRST_KEY } as const;
  const key = await createKey(tools.sql, tools.ids, { ...request, now: tools.clock.now() });
  return key.secret;
}

function readStoredKey(dataDir: string): string | null {
  try {
    const { key } = JSON.parse(readFileSync(join(dataDir, FILE), 'utf8')) as { key?: unknown };
    return typeof key === 'string' && isWellFormedKey(key) ? key : null;
  } catch {
    return null;
  }
}

async function belongsTo(tools: AccountTools, key: string, accountId: string): Promise<boolean> {
  const caller = await findKeyByHash(tools.sql, hashApiKey(key));
  const now = tools.clock.now();
  return (
    caller !== null &&
    caller.accountId === accountId &&
    caller.revokedAt === null &&
    (caller.expiresAt === null || caller.expiresAt > now)
  );
}

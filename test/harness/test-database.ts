import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { bindAccount } from '../../packages/server/src/db/account-client.ts';
import { type AccountSql, type DatabaseTarget, openDatabase, type Pool } from '../../packages/server/src/db/client.ts';
import { TEMPLATE_DATABASE } from './template-database.ts';

export interface TestDatabase {
  readonly target: DatabaseTarget;
  readonly sql: Pool;
  /** As requests have it: bound to one account, and to the role that sees no other. */
  bound(accountId: string): AccountSql;
  drop(): Promise<void>;
}

/** A database of its own, copied from the migrated template: one a test file, or one a test that breaks things. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { host, user } = inject('postgres');
  const name = `test_${randomBytes(8).toString('hex')}`;
  const admin = openDatabase({
    target: { kind: 'socket', host, user, database: 'postgres' },
    maxConnections: 1,
    applicationName: 'tests',
  });
  await admin.unsafe(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE_DATABASE} STRATEGY FILE_COPY`);
  const target: DatabaseTarget = { kind: 'socket', host, user, database: name };
  const sql = openDatabase({ target, maxConnections: 2, applicationName: 'tests' });
  let accounts: Pool | null = null;
  return {
    target,
    sql,
    bound(accountId) {
      accounts ??= openDatabase({ target, maxConnections: 2, applicationName: 'tests', forAccounts: true });
      return bindAccount(accounts, accountId);
    },
    async drop() {
      await accounts?.end({ timeout: 1 });
      await sql.end({ timeout: 1 });
      await admin.unsafe(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await admin.end();
    },
  };
}

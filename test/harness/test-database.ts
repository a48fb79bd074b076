import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { bindAccount } from '../../packages/server/src/db/account-client.ts';
import { type DatabaseTarget, openDatabase } from '../../packages/server/src/db/client.ts';
import { type TaggedAccountSql, type TaggedPool, tagged } from './tagged.ts';
import { TEMPLATE_DATABASE } from './template-database.ts';

export interface TestDatabase {
  readonly target: DatabaseTarget;
  readonly sql: TaggedPool;
  /** A connection as requests have it: bound to one account, with the role that sees no other. */
  bound(accountId: string): TaggedAccountSql;
  drop(): Promise<void>;
}

/** A database copied from the migrated template: one per test file, or per test that breaks things. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { host, user } = inject('postgres');
  const name = `test_${randomBytes(8).toString('hex')}`;
  const admin = tagged(
    openDatabase({
      target: { kind: 'socket', host, user, database: 'postgres' },
      maxConnections: 1,
      applicationName: 'tests',
    }),
  );
  await admin.unsafe(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE_DATABASE} STRATEGY FILE_COPY`);
  const target: DatabaseTarget = { kind: 'socket', host, user, database: name };
  const sql = tagged(openDatabase({ target, maxConnections: 2, applicationName: 'tests' }));
  let accounts: TaggedPool | null = null;
  return {
    target,
    sql,
    bound(accountId) {
      accounts ??= tagged(openDatabase({ target, maxConnections: 2, applicationName: 'tests', forAccounts: true }));
      return tagged(bindAccount(accounts, accountId));
    },
    async drop() {
      await accounts?.end({ timeout: 1 });
      await sql.end({ timeout: 1 });
      await admin.unsafe(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await admin.end();
    },
  };
}

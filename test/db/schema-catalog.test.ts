import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountRole } from '../../packages/server/src/db/schema/account-wall.ts';
import { TABLES } from '../../packages/server/src/db/schema/tables.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';
import { nullabilityDifferences, statementsOf } from './schema/declared-tables.ts';
import { readCatalog } from './schema/read-catalog.ts';

describe('the declared tables', () => {
  let database: TestDatabase;
  let migrated: readonly string[];
  let declared: readonly string[];
  beforeAll(async () => {
    database = await createTestDatabase();
    await database.sql.begin(async (transaction) => {
      migrated = await readCatalog(transaction, 'public');
      await transaction.unsafe('CREATE SCHEMA declared; SET LOCAL search_path = declared, public');
      for (const statement of statementsOf(TABLES, accountRole.name)) await transaction.unsafe(statement);
      declared = await readCatalog(transaction, 'declared');
    });
  });
  afterAll(() => database.drop());

  it('are those of the migrated database: columns, types, defaults, keys, indexes, checks, policies and grants', () => {
    const differences = {
      onlyMigrated: migrated.filter((fact) => !declared.includes(fact)),
      onlyDeclared: declared.filter((fact) => !migrated.includes(fact)),
    };
    expect(differences).toEqual({ onlyMigrated: [], onlyDeclared: [] });
    expect(migrated.filter((fact) => fact.startsWith('column ')).length).toBeGreaterThan(400);
  });

  it('are nullable as in the migrated database, in primary keys as well', () => {
    expect(nullabilityDifferences(TABLES, migrated)).toEqual([]);
  });
});

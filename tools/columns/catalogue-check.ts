import { getTableConfig, is, PgTable } from '../../packages/server/src/db/drizzle.ts';
import { accountRole } from '../../packages/server/src/db/schema/account-wall.ts';
import { nullabilityDifferences, statementsOf } from '../../test/db/schema/declared-tables.ts';
import { readCatalog } from '../../test/db/schema/read-catalog.ts';
import { withMigratedDatabase } from '../generate/migrated-database.ts';

/**
 * Whether the comparisons of test/db/schema-catalog.test.ts notice a changed column of `table`, as the schema file at `file` exports it.
 */
export type IsNoticed = (file: string, table: string) => Promise<boolean>;

/** Calls `work` with these comparisons, on its own migrated database. */
export async function withCatalogueCheck(work: (isNoticed: IsNoticed) => Promise<void>): Promise<void> {
  await withMigratedDatabase(async (transaction) => {
    const migrated = await readCatalog(transaction, 'public');
    await work(async (file, name) => {
      const table: unknown = (await import(file))[name];
      if (!is(table, PgTable)) throw new Error(`${file} exports no table ${name}`);
      await transaction.run('SAVEPOINT before_change');
      try {
        const declared = await declare(table);
        const columnsOf = (facts: readonly string[]) =>
          facts.filter((fact) => fact.startsWith(`column ${getTableConfig(table).name}.`)).join('\n');
        return columnsOf(declared) !== columnsOf(migrated) || nullabilityDifferences([table], migrated).length > 0;
      } catch {
        return true; // The test also fails if the declared tables cannot be created.
      } finally {
        await transaction.run('ROLLBACK TO SAVEPOINT before_change');
      }
    });

    async function declare(table: PgTable): Promise<readonly string[]> {
      await transaction.run('CREATE SCHEMA declared');
      await transaction.run('SET LOCAL search_path = declared, public');
      for (const statement of statementsOf([table], accountRole.name)) await transaction.run(statement);
      return await readCatalog(transaction, 'declared');
    }
  });
}

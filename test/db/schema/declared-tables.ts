import {
  type AnyPgColumn,
  type Check,
  type ForeignKey,
  getTableConfig,
  type Index,
  IndexedColumn,
  is,
  PgDialect,
  type PgPolicy,
  PgRole,
  type PgTable,
  type PrimaryKey,
  SQL,
  sql,
} from '../../../packages/server/src/db/drizzle.ts';

/** What the definition of an index says that drizzle has no words for. It is behind the columns. */
const INDEX_CLAUSES: Readonly<Record<string, string>> = {
  approvals_reserved: 'INCLUDE (charged)',
  inbound_reports_counter: 'NULLS NOT DISTINCT',
};

const dialect = new PgDialect();

/**
 * The statements that make the declared tables, for their own schema: PostgreSQL then normalizes defaults, checks, indexes and policies of
 * the declaration as it did those of the migrations. Constraints without a name get the one PostgreSQL gives them. Tables come first, since they
 * refer to one another.
 */
export function statementsOf(tables: readonly PgTable[], accountRole: string): readonly string[] {
  const configs = tables.map((table) => getTableConfig(table));
  return [
    ...configs.map(({ name, columns, primaryKeys, checks }) => createTable(name, columns, primaryKeys, checks)),
    ...configs.flatMap(({ name, foreignKeys }) =>
      foreignKeys.map((key) => `ALTER TABLE ${quote(name)} ADD ${foreignKeyOf(key)}`),
    ),
    ...configs.flatMap(({ name, indexes }) => indexes.map((index) => createIndex(name, index))),
    ...configs.flatMap(({ name, policies }) => policies.flatMap((policy) => createPolicy(name, policy, accountRole))),
    ...configs
      .filter(({ policies }) => policies.length > 0)
      .map(({ name }) => `ALTER TABLE ${quote(name)} ENABLE ROW LEVEL SECURITY`),
  ];
}

/**
 * The columns of which the declaration and the catalog disagree on whether they can be null. A comparison of tables does not find them: a primary
 * key makes its columns NOT NULL, whatever the declaration says of them, and rows would have the wrong type.
 * @param facts of `readCatalog`
 */
export function nullabilityDifferences(tables: readonly PgTable[], facts: readonly string[]): readonly string[] {
  const notNull = new Set(facts.filter((fact) => / NOT NULL\b/.test(fact)).map((fact) => fact.split(' ')[1] ?? ''));
  return tables.flatMap((table) => {
    const { name, columns } = getTableConfig(table);
    const different = columns.filter((column) => column.notNull !== notNull.has(`${name}.${column.name}`));
    return different.map((column) => `${name}.${column.name}`);
  });
}

type TableConfig = ReturnType<typeof getTableConfig>;

function createTable(
  name: string,
  columns: TableConfig['columns'],
  primaryKeys: readonly PrimaryKey[],
  checks: readonly Check[],
): string {
  const parts = [
    ...columns.map((column) => columnOf(column)),
    ...primaryKeys.map(({ columns: keys }) => `PRIMARY KEY (${namesOf(keys)})`),
    ...checks.map(({ name: check, value }) => `CONSTRAINT ${quote(check)} CHECK (${textOf(value)})`),
  ];
  return `CREATE TABLE ${quote(name)} (${parts.join(', ')})`;
}

function columnOf(column: TableConfig['columns'][number]): string {
  const { generatedIdentity: identity, generated } = column;
  return [
    quote(column.name),
    column.getSQLType(),
    column.primary ? 'PRIMARY KEY' : '',
    column.notNull ? 'NOT NULL' : '',
    column.isUnique ? 'UNIQUE' : '',
    column.default === undefined ? '' : `DEFAULT ${literalOf(column.default)}`,
    identity === undefined ? '' : `GENERATED ${identity.type === 'always' ? 'ALWAYS' : 'BY DEFAULT'} AS IDENTITY`,
    generated === undefined ? '' : `GENERATED ALWAYS AS (${textOf(generated.as)}) STORED`,
  ]
    .filter((part) => part !== '')
    .join(' ');
}

function foreignKeyOf(key: ForeignKey): string {
  const { columns, foreignColumns, foreignTable } = key.reference();
  const target = `${quote(getTableConfig(foreignTable).name)} (${namesOf(foreignColumns)})`;
  const actions = [
    key.onDelete === undefined ? '' : ` ON DELETE ${key.onDelete}`,
    key.onUpdate === undefined ? '' : ` ON UPDATE ${key.onUpdate}`,
  ];
  return `FOREIGN KEY (${namesOf(columns)}) REFERENCES ${target}${actions.join('')}`;
}

function createIndex(table: string, { config }: Index): string {
  const { name = '', unique, method = 'btree', columns, where } = config;
  const keys = columns.map((column) => (is(column, IndexedColumn) ? indexedColumn(column) : `(${textOf(column)})`));
  const settings = Object.entries(config.with ?? {}).map(([setting, value]) => `${setting} = ${String(value)}`);
  return [
    `CREATE ${unique ? 'UNIQUE ' : ''}INDEX ${quote(name)} ON ${quote(table)} USING ${method} (${keys.join(', ')})`,
    INDEX_CLAUSES[name] ?? '',
    settings.length > 0 ? `WITH (${settings.join(', ')})` : '',
    where === undefined ? '' : `WHERE ${textOf(where)}`,
  ]
    .filter((part) => part !== '')
    .join(' ');
}

function indexedColumn({ name = '', indexConfig }: IndexedColumn): string {
  const { order, opClass } = indexConfig;
  return [quote(name), opClass ?? '', order === 'desc' ? 'DESC' : ''].join(' ');
}

/** The role of requests may do what its policy is for: so protect_account_table grants it. */
function createPolicy(
  table: string,
  { name, for: command = 'all', to, using, withCheck }: PgPolicy,
  accountRole: string,
): string[] {
  if (!is(to, PgRole)) throw new Error(`the policy ${name} of ${table} is for no role`);
  const policy = [
    `CREATE POLICY ${quote(name)} ON ${quote(table)} FOR ${command} TO ${quote(to.name)}`,
    using === undefined ? '' : `USING (${textOf(using)})`,
    withCheck === undefined ? '' : `WITH CHECK (${textOf(withCheck)})`,
  ]
    .filter((part) => part !== '')
    .join(' ');
  const rights = command === 'all' ? 'SELECT, INSERT, UPDATE, DELETE' : command;
  return [policy, ...(to.name === accountRole ? [`GRANT ${rights} ON ${quote(table)} TO ${quote(to.name)}`] : [])];
}

function literalOf(value: unknown): string {
  if (is(value, SQL)) return textOf(value);
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
}

/** As DDL: columns without their table, values in the text. */
function textOf(value: unknown): string {
  return dialect.sqlToQuery(sql`${value}`.inlineParams(), 'indexes').sql;
}

function namesOf(columns: readonly AnyPgColumn[]): string {
  return columns.map(({ name }) => quote(name)).join(', ');
}

function quote(name: string): string {
  return `"${name}"`;
}

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OLDEST_POSTGRES } from '../harness/postgres-versions.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const DATABASE = join(ROOT, 'packages/server/src/db');

/** What came after the oldest promised version, by the release notes. Ordinary words are matched in the form that SQL gives them. */
const NEWER: Readonly<Record<string, readonly RegExp[]>> = {
  '16': [
    calls('pg_input_is_valid', 'pg_input_error_info', 'any_value', 'array_sample', 'array_shuffle', 'random_normal'),
    calls('erf', 'erfc', 'date_add', 'date_subtract', 'pg_dissect_walfile_name'),
    calls('json_array', 'json_arrayagg', 'json_object', 'json_objectagg'),
    /\bis\s+(?:not\s+)?json\b/i,
    /\bsystem_user\b/i,
    /\bgrant\b[^;]*\bwith\s+(?:inherit|set)\b/i,
  ],
  '17': [
    calls('json_table', 'json_exists', 'json_query', 'json_value', 'json_scalar', 'json_serialize', 'json'),
    calls(
      'to_bin',
      'to_oct',
      'uuid_extract_timestamp',
      'uuid_extract_version',
      'unicode_assigned',
      'pg_basetype',
      'xmltext',
    ),
    calls('pg_column_toast_chunk_id', 'pg_available_wal_summaries', 'pg_get_wal_summarizer_state'),
    /\brandom\s*\(\s*[^\s)]/i,
    /\bby\s+source\b|\bmerge_action\b/i,
    /\btransaction_timeout\b|\bon_error\s+(?:ignore|stop)\b/i,
    /\bat\s+local\b|\bset\s+expression\b/i,
    /\bgrant\s+maintain\b|\bpg_maintain\b/i,
  ],
  '18': [
    calls('uuidv7', 'uuidv4', 'array_reverse', 'array_sort', 'casefold', 'crc32', 'crc32c', 'gamma', 'lgamma'),
    calls('pg_get_acl', 'has_largeobject_privilege'),
    /\bwithout\s+overlaps\b|\bnot\s+enforced\b|\breject_limit\b/i,
    /\breturning\s+(?:with\s*\(|(?:old|new)\.)/i,
    /\bgenerated\s+always\s+as\s*\([^;]*\)\s*virtual\b/i,
  ],
};

/** Of the form `name(`; a column or a text of that name is none. */
function calls(...names: readonly string[]): RegExp {
  return new RegExp(String.raw`(?<![\w.'"$])(?:${names.join('|')})\s*\(`, 'i');
}

/** Comments may speak of newer versions. */
function withoutComments(path: string, text: string): string {
  if (path.endsWith('.sql')) return text.replaceAll(/--.*$/gm, '');
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(?<![:'"`])\/\/.*$/gm, '');
}

function findNewer(path: string, text: string): readonly string[] {
  const code = withoutComments(path, text);
  return Object.entries(NEWER).flatMap(([version, patterns]) =>
    patterns.flatMap((pattern) => {
      const found = pattern.exec(code)?.[0];
      return found === undefined ? [] : [`${path}: “${found}” needs PostgreSQL ${version}`];
    }),
  );
}

describe('the oldest promised PostgreSQL', () => {
  const files = readdirSync(DATABASE, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /\.(?:sql|ts)$/.test(path),
  );

  it('has everything that migrations and queries use', { tags: ['holes.oldest-postgres'] }, () => {
    expect(files.filter((path) => path.endsWith('.sql')).length).toBeGreaterThan(20);
    expect(files.flatMap((path) => findNewer(path, readFileSync(join(DATABASE, path), 'utf8')))).toEqual([]);
  });

  it.each([
    ["SELECT name FROM w WHERE pg_input_is_valid(name, 'uuid')", '16'],
    ['SELECT any_value (x) FROM t', '16'],
    ['SELECT x IS JSON OBJECT', '16'],
    ['GRANT a TO b WITH INHERIT TRUE', '16'],
    ["SELECT * FROM JSON_TABLE(x, '$')", '17'],
    ['SELECT random(1, 10)', '17'],
    ['SELECT uuidv7()', '18'],
    ['UPDATE t SET a = 1 RETURNING old.a', '18'],
  ])('is missing %s', (statement, version) => {
    expect(findNewer('x.sql', statement)).toEqual([expect.stringContaining(`needs PostgreSQL ${version}`)]);
    expect(findNewer('x.sql', `-- ${statement}`)).toEqual([]);
  });

  it('is the one that the documents and the server name', () => {
    const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
    expect(read('packages/server/src/db/migrate.ts')).toContain(`MINIMUM_POSTGRES = ${OLDEST_POSTGRES}0_000`);
    expect(read('packages/server/src/postgres/embedded-postgres-error.ts')).toContain(`${OLDEST_POSTGRES} or newer`);
  });
});

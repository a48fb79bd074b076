import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { getTableConfig } from '../../packages/server/src/db/drizzle.ts';
import { TABLES } from '../../packages/server/src/db/schema/tables.ts';
import { changeColumn, findColumns } from '../../tools/columns/declared-columns.ts';

const SCHEMA = path.resolve(import.meta.dirname, '../../packages/server/src/db/schema');

describe('the experiment on columns', () => {
  it('finds every column that is declared', async () => {
    const files = await readdir(SCHEMA);
    const sources = files.map(async (file) => findColumns(file, await readFile(path.join(SCHEMA, file), 'utf8')));
    const found = (await Promise.all(sources)).flat().length;
    expect(found).toBe(TABLES.flatMap((table) => getTableConfig(table).columns).length);
  });

  it('renames a column, gives it another type, and makes it nullable or not', () => {
    const chain = ["mode: text('mode')", '.$type<Mode>()', '.notNull()', ".default('x')"].join('\n    ');
    const source = `export const a = pgTable('a', {\n  note: text('note'),\n  ${chain},\n});\n`;
    const [note, mode] = findColumns('a.ts', source);
    if (note === undefined || mode === undefined) throw new Error('a column was not found');
    expect(mode.text).toBe(chain);
    expect(changeColumn(source, mode, 'renamed')).toContain("modeRenamed: text('renamed_mode')\n    .$type<Mode>()");
    expect(changeColumn(source, mode, 'retyped')).toContain("mode: asBoolean('retyped').notNull()");
    expect(changeColumn(source, mode, 'made nullable or not')).toContain(".$type<Mode>()\n    .default('x'),");
    expect(changeColumn(source, note, 'made nullable or not')).toContain("note: text('note').notNull(),");
  });
});

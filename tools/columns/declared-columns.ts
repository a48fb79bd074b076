/** A column as a schema file declares it. */
export interface DeclaredColumn {
  /** The file's name, such as `keys.ts`. */
  readonly file: string;
  /** The constant that the table is exported as. */
  readonly table: string;
  /** The field of the table. */
  readonly field: string;
  /** The whole declaration: the field and its column builder. */
  readonly text: string;
  /** Its offset in the file. */
  readonly start: number;
}

/** Finds the columns of the tables that a schema file exports. The formatter puts each on its own line. */
export function findColumns(file: string, source: string): readonly DeclaredColumn[] {
  const tables = [...source.matchAll(/^export const (\w+) = pgTable\(/gm)];
  return tables.flatMap((table, n) => {
    const block = source.slice(table.index, tables[n + 1]?.index);
    return [...block.matchAll(/^ {2,4}(\w+): \w+(?:<.*>)?\('[a-z0-9_]+'\)/gm)].map((found): DeclaredColumn => {
      const field = found[1] ?? '';
      const inBlock = found.index + found[0].indexOf(field);
      const text = block.slice(inBlock, endOf(block, inBlock));
      return { file, table: table[1] ?? '', field, text, start: table.index + inBlock };
    });
  });
}

/** The end of a declaration: the comma after it, outside of parentheses. Commas in type arguments are followed by a space. */
function endOf(block: string, start: number): number {
  let depth = 0;
  for (let place = start; place < block.length; place += 1) {
    const character = block[place] ?? '';
    if ('({['.includes(character)) depth += 1;
    if (')}]'.includes(character)) depth -= 1;
    if (depth === 0 && block.startsWith(',\n', place)) return place;
  }
  throw new Error('a declaration without an end');
}

export const CHANGES = ['renamed', 'retyped', 'made nullable or not'] as const;
export type Change = (typeof CHANGES)[number];

/** The file with the column changed. Errors in the declaration itself, such as an index on the old name, do not matter here. */
export function changeColumn(source: string, column: DeclaredColumn, change: Change): string {
  const { start, text } = column;
  const before = source.slice(0, start);
  const after = source.slice(start + text.length);
  return `import { boolean as asBoolean, text as asText } from '../drizzle.ts';\n${before}${changedText(column, change)}${after}`;
}

function changedText({ field, text }: DeclaredColumn, change: Change): string {
  if (change === 'renamed') return text.replace(`${field}:`, `${field}Renamed:`).replace(/\('/, "('renamed_");
  const isNotNull = /\.(notNull|primaryKey)\(\)/.test(text);
  if (change === 'retyped') {
    const builder = /: boolean\(/.test(text) ? 'asText' : 'asBoolean';
    return `${field}: ${builder}('retyped')${isNotNull ? '.notNull()' : ''}${text.includes('.default(') ? '.default(null as never)' : ''}`;
  }
  // An identity column is never null, whatever else the declaration says.
  return isNotNull ? text.replaceAll(/\s*\.(notNull|primaryKey|generated\w+AsIdentity)\(\)/g, '') : `${text}.notNull()`;
}

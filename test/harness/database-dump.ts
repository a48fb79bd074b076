import type { TestDatabase } from './test-database.ts';

/**
 * All that a dump of the database has: every row of every table as text. PostgreSQL writes bytes in hexadecimal, so bytes that are mail follow as
 * text as well, with the soft line breaks of quoted-printable taken out.
 */
export async function dumpDatabase({ sql }: Pick<TestDatabase, 'sql'>): Promise<string> {
  const tables = await sql<{ name: string }[]>`
    SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
    WHERE table_schema IN ('public', 'graphile_worker') AND table_type = 'BASE TABLE'`;
  const rows = await Promise.all(tables.map(({ name }) => sql.unsafe(`SELECT t::text AS row FROM ${name} t`)));
  const texts = rows.flatMap((some) => some.map(({ row }) => String(row)));
  const bytes = texts.flatMap((text) => [...text.matchAll(/\\x([0-9a-f]{2,})/g)].map(([, hex]) => hex ?? ''));
  const decoded = bytes.map((hex) => Buffer.from(hex, 'hex').toString('latin1').replaceAll('=\r\n', ''));
  return [...texts, ...decoded].join('\n');
}

/** How a secret may be written in a dump: as it is, in hexadecimal, or within something in base64. */
export function spellingsOf(secret: string): readonly string[] {
  const inBase64 = [0, 1, 2].map((offset) => {
    const encoded = Buffer.from('x'.repeat(offset) + secret).toString('base64');
    // The first and the last group depend on what is beside the secret.
    return encoded.slice(4, -4);
  });
  return [secret, Buffer.from(secret).toString('hex'), ...inBase64, Buffer.from(secret, 'base64url').toString('hex')];
}

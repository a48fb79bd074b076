import type { TestDatabase } from './test-database.ts';

/**
 * The contents of a database dump: every row of every table as text. PostgreSQL writes binary values in hexadecimal, so mail is also added
 * as text, without quoted-printable soft line breaks.
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

/** The forms a secret can have in a dump: plain, hexadecimal, or inside base64 text. */
export function spellingsOf(secret: string): readonly string[] {
  const inBase64 = [0, 1, 2].map((offset) => {
    const encoded = Buffer.from('x'.repeat(offset) + secret).toString('base64');
    // The first and last group depend on the text beside the secret.
    return encoded.slice(4, -4);
  });
  return [secret, Buffer.from(secret).toString('hex'), ...inBase64, Buffer.from(secret, 'base64url').toString('hex')];
}

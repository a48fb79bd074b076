import { openBody } from '../../packages/server/src/keys/sealed-body.ts';
import { createSecretBox } from '../../packages/server/src/keys/secret-box.ts';
import { TEST_SECRET_KEY } from './template-database.ts';
import type { TestDatabase } from './test-database.ts';

export interface StoredMail {
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** The installation's own mail with decoded bodies, oldest first. */
export async function readInstallationMail(
  { sql }: Pick<TestDatabase, 'sql'>,
  about: { readonly tag?: string; readonly to?: string } = {},
): Promise<readonly StoredMail[]> {
  const { tag = null, to = null } = about;
  const rows = await sql<(Omit<StoredMail, 'html'> & { readonly html: string | null })[]>`
    SELECT m.id, m.to_line AS to, m.subject, b.text, b.html FROM messages m JOIN message_bodies b ON b.account_id = m.account_id AND b.message_id = m.id
    WHERE m.source = 'system' AND (${tag}::text IS NULL OR ${tag} = ANY (m.tags)) AND (${to}::text IS NULL OR m.to_line = ${to})
    ORDER BY m.id`;
  const box = createSecretBox(TEST_SECRET_KEY);
  return rows.map((row) => {
    const { text, html } = openBody(box, { text: row.text, html: row.html });
    return { ...row, text: text ?? '', html: html ?? '' };
  });
}

import type { TaggedSql } from '../../test/harness/tagged.ts';

/**
 * Queues copies of one accepted message, each with its own id and recipient, spread over the domains and due `agoMs` ago. Accepting each of
 * them would take minutes.
 */
export async function copyMessage(
  sql: TaggedSql,
  messageId: string,
  options: { readonly count: number; readonly domains: readonly string[]; readonly agoMs: number },
): Promise<void> {
  const { count, domains, agoMs } = options;
  await sql.begin(async (transaction) => {
    await transaction`SET LOCAL statement_timeout = 0`;
    await transaction`
      CREATE TEMP TABLE copies ON COMMIT DROP AS
      SELECT uuidv7() AS id, uuidv7() AS delivery_id, (${[...domains]}::text[])[1 + n % ${domains.length}] AS domain, n
      FROM generate_series(0, ${count - 1}::int) AS n`;
    const copy = async (table: string, replaced: Readonly<Record<string, string>>) => {
      const columns = await transaction<{ name: string }[]>`
        SELECT column_name AS name FROM information_schema.columns WHERE table_schema = 'public' AND table_name = ${table} AND is_generated = 'NEVER'`;
      const names = columns.map(({ name }) => name);
      const key = table === 'messages' ? 'id' : 'message_id';
      await transaction.unsafe(
        `INSERT INTO ${table} (${names.join(', ')})
         SELECT ${names.map((name) => replaced[name] ?? `o.${name}`).join(', ')} FROM ${table} o, copies c WHERE o.${key} = $1`,
        [messageId],
      );
    };
    const email = `'customer-' || c.n || '@' || c.domain`;
    await copy('messages', { id: 'c.id', to_line: email });
    await copy('message_bodies', { message_id: 'c.id' });
    await copy('message_recipients', { message_id: 'c.id', email });
    await copy('deliveries', {
      ...{ id: 'c.delivery_id', message_id: 'c.id' },
      destination: `CASE WHEN o.destination = '' THEN '' ELSE c.domain END`,
      next_at: `o.next_at - interval '${agoMs} milliseconds' + c.n * interval '1 microsecond'`,
    });
  });
  await sql`ANALYZE deliveries`;
}

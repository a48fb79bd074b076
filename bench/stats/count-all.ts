import { countMessages } from '../../packages/server/src/db/queries/count-messages.ts';
import type { TaggedSql } from '../../test/harness/tagged.ts';
import { round } from '../parts/report.ts';
import { READ_ACCOUNT } from '../reads/data-set.ts';

const NOTED_AT_ONCE = 200;

/** The data set was written to the log directly, so its messages are counted here as the worker would, unless an earlier run did so. */
export async function countAll(sql: TaggedSql): Promise<void> {
  const [known] = await sql`SELECT EXISTS (SELECT FROM message_rollups WHERE account_id = ${READ_ACCOUNT}) AS counted`;
  if (known?.['counted'] === true) return;
  await sql`
    INSERT INTO count_backlog (account_id, message_ids)
    SELECT account_id, array_agg(id) FROM (
      SELECT account_id, id, (row_number() OVER (PARTITION BY account_id ORDER BY id)) / ${NOTED_AT_ONCE}::int AS part FROM messages) AS numbered
    GROUP BY account_id, part`;
  const [{ noted = 0 } = {}] = await sql<
    { noted: number }[]
  >`SELECT sum(cardinality(message_ids))::int AS noted FROM count_backlog`;
  const began = performance.now();
  while ((await countMessages(sql)) > 0);
  const seconds = (performance.now() - began) / 1_000;
  console.log(`counting: ${round(noted)} messages, ${round(noted / seconds)} a second`);
  await sql`VACUUM ANALYZE message_rollups`;
}

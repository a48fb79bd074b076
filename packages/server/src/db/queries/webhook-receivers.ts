import { builder, named } from '../builder.ts';
import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import { webhookEndpoints } from '../schema/webhooks.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';

const read = defineStatement({ ids: value<readonly string[]>() }, ({ ids }) =>
  builder
    .select(
      named({
        accountId: webhookEndpoints.accountId,
        id: webhookEndpoints.id,
        url: webhookEndpoints.url,
        enabled: sql<boolean>`${webhookEndpoints.status} = 'enabled'`,
        revision: webhookEndpoints.revision,
        secret: webhookEndpoints.secret,
        previousSecret: webhookEndpoints.previousSecret,
        previousSecretEndsAt: webhookEndpoints.previousSecretEndsAt,
        /** The key that chose the URL; null: it receives every event unredacted. */
        chosenBy: webhookEndpoints.chosenBy,
      }),
    )
    .from(webhookEndpoints)
    .where(sql`${webhookEndpoints.id} = ANY (${ids}::uuid[])`),
);

/** An endpoint as deliveries need it. */
export type ReceiverRow = RowOf<typeof read>;

/** The endpoints with these ids that exist, of any account. */
export async function readReceivers(query: Query, ids: readonly string[]): Promise<readonly ReceiverRow[]> {
  return await read(query, { ids });
}

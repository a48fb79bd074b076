import { createAccount } from '../../packages/server/src/accounts/create-account.ts';
import { systemClock } from '../../packages/server/src/clock.ts';
import { openDatabase } from '../../packages/server/src/db/client.ts';
import { insertVerifiedDomain } from '../../packages/server/src/db/queries/sending-domains.ts';
import { createSecretBox } from '../../packages/server/src/keys/secret-box.ts';
import { readProtectedLinks } from '../../packages/server/src/links/protected-links.ts';
import { planTracking } from '../../packages/server/src/links/track-html.ts';
import { acceptMessages } from '../../packages/server/src/sending/accept-messages.ts';
import { generateDkimKey } from '../../packages/server/src/sending-domains/dkim-key.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { plainSend } from '../../test/harness/plain-send.ts';
import { tagged } from '../../test/harness/tagged.ts';
import { TEST_SECRET_KEY } from '../../test/harness/template-database.ts';
import type { BenchDatabase } from '../parts/bench-database.ts';
import type { ShopKey } from './sender-round.ts';
import { shopEmail } from './shop-email.ts';

/** An account with its own domain and messages to deliver. */
export interface Shop {
  readonly key: ShopKey;
  /** Accepts `count` messages that are unique to this seed. They stay queued until an engine delivers them. */
  accept(seed: number, count: number): Promise<void>;
  /** Messages by status. */
  countByStatus(): Promise<Readonly<Record<string, number>>>;
  /** Queued or running deliveries, counted up to `limit`. */
  countWaiting(limit: number): Promise<number>;
  /** Deletes every message, so that rounds do not grow the disk. Call it only while nothing is queued. */
  forgetMessages(): Promise<void>;
  close(): Promise<void>;
}

const DOMAIN = 'shop.example.org';
const SELECTOR = 'bench';
const BATCH = 100;

/** @param isTracked whether opens and clicks are tracked, which is decided when a message is accepted */
export async function openShop(database: BenchDatabase, { isTracked = false } = {}): Promise<Shop> {
  // Batches are accepted one after another, with plans that are kept, as in the server. A pool would open all its connections for the first
  // transaction.
  const sql = tagged(
    openDatabase({ target: database.target, maxConnections: 1, applicationName: 'bench-shop', keepPlans: true }),
  );
  const ids = createIdGenerator();
  const { accountId } = await createAccount(
    { sql, clock: systemClock, ids },
    { name: 'Shop', ownerEmail: 's@sandbox.test' },
  );
  const keyId = ids.next(new Date());
  const { privateKeyPem, publicKeyBase64 } = await generateDkimKey();
  await insertVerifiedDomain(sql, {
    accountId,
    id: ids.next(new Date()),
    name: DOMAIN,
    dkimSelector: SELECTOR,
    dkimPrivateKey: createSecretBox(TEST_SECRET_KEY).seal(privateKeyPem),
    dkimPublicKey: publicKeyBase64,
    now: new Date(),
  });
  const options = { sql, clock: systemClock, ids, sandboxDomain: 'sandbox.test', monthlyQuota: 2_000_000_000 };
  const toCommand = (seed: number, index: number) => {
    const command = plainSend({ accountId, keyId }, shopEmail(seed, index, DOMAIN));
    if (!isTracked) return command;
    const tracking = planTracking(command.content.html ?? '', { opens: true, clicks: true }, readProtectedLinks({}));
    return { ...command, content: { ...command.content, tracking } };
  };
  return {
    key: { domain: DOMAIN, selector: SELECTOR, privateKeyPem, publicKeyBase64 },
    async accept(seed, count) {
      for (let first = 0; first < count; first += BATCH) {
        const size = Math.min(BATCH, count - first);
        const { verdicts } = await acceptMessages(
          options,
          Array.from({ length: size }, (_, n) => toCommand(seed, first + n)),
        );
        if (verdicts.some(({ kind }) => kind !== 'accepted')) throw new Error('a message was not accepted');
      }
    },
    async countByStatus() {
      const rows = await sql<
        { status: string; n: number }[]
      >`SELECT status, count(*)::int AS n FROM messages GROUP BY status`;
      return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
    },
    async countWaiting(limit) {
      const [row] = await sql<
        { n: number }[]
      >`SELECT count(*)::int AS n FROM (SELECT FROM deliveries LIMIT ${limit}) AS waiting`;
      return row?.n ?? 0;
    },
    async forgetMessages() {
      await sql`TRUNCATE messages, message_bodies, message_recipients, message_events, message_tracking`;
    },
    close: () => sql.end({ timeout: 1 }),
  };
}

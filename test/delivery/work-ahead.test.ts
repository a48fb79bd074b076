import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { claimDeliveries } from '../../packages/server/src/db/queries/claim-deliveries.ts';
import { loadContents } from '../../packages/server/src/db/queries/load-contents.ts';
import { createMessageBuilder } from '../../packages/server/src/delivery/message-builder.ts';
import { createMessageMaker } from '../../packages/server/src/delivery/message-maker.ts';
import { createReturnPaths } from '../../packages/server/src/inbound/return-path.ts';
import { createTrackingUrls } from '../../packages/server/src/links/tracked-body.ts';
import { createTrackingTokens } from '../../packages/server/src/links/tracking-token.ts';
import { createUnsubscribeLinks } from '../../packages/server/src/unsubscribe/unsubscribe-links.ts';
import { useCleanUps } from '../harness/clean-ups.ts';
import { createOutsideWorld, makeEngine } from '../harness/hand-made-engine.ts';
import { TEST_SECRET_KEY } from '../harness/template-database.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

describe('work ahead of the signing threads', () => {
  const cleanUp = useCleanUps();
  const until = { timeout: 10_000, interval: 10 };

  it('includes the next claim while three quarters of the last one are still in progress', async () => {
    const server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
    cleanUp(() => server.close());
    const emails = Array.from({ length: 150 }, (_, n) => ({
      ...{ from: 'shop@sandbox.test', to: `customer-${n}@example.com`, subject: 'Hello', text: 'Hello' },
    }));
    for (const part of [emails.slice(0, 75), emails.slice(75)]) {
      const { status } = await server.call('POST', '/emails/batch', { body: { emails: part } });
      expect(status).toBe(207);
    }
    const unclaimed = async () =>
      (await server.database.sql`SELECT FROM deliveries WHERE lease_id IS NULL AND attempt = 0`).length;
    const mayEnd: (() => void)[] = [];
    const { groupOf, ...world } = createOutsideWorld(async () => {
      await new Promise<void>((resolve) => mayEnd.push(resolve));
      return {};
    });
    const engine = await makeEngine(server, world, { maxInFlight: 400 });
    cleanUp(() => engine.stop(0));
    const pumping = engine.pump();
    await expect.poll(() => mayEnd.length, until).toBe(100);
    expect(await unclaimed()).toBe(50);
    for (const end of mayEnd.splice(0, 25)) end();
    await expect.poll(() => engine.inFlight, until).toBe(75);
    expect(await unclaimed()).toBe(50);
    mayEnd.shift()?.();
    await expect.poll(unclaimed, until).toBe(0);
    await expect.poll(() => mayEnd.length, until).toBe(124);
    for (const end of mayEnd) end();
    await pumping;
  });

  it.each([
    ['3 KB', 3_000, 128],
    ['40 KB', 40_000, 25],
    ['200 KB', 200_000, 8],
  ])('is a bounded number of messages of %s that wait for their signature', async (_, size, atOnce) => {
    const server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
    const maker = createMessageMaker();
    cleanUp(() => Promise.all([server.close(), maker.close()]));
    await server.send({ from: 'shop@sandbox.test', to: 'ann@example.com' });
    const [content] = await loadContents(server.database.sql, await claimAll(server), server.clock.now());
    if (content === undefined) throw new Error('nothing was claimed');
    const waiting: (() => void)[] = [];
    const builder = createMessageBuilder(
      { find: () => new Promise((resolve) => waiting.push(() => resolve(null))) },
      createUnsubscribeLinks({ baseUrl: server.baseUrl, secretKey: TEST_SECRET_KEY }),
      createTrackingUrls(createTrackingTokens(TEST_SECRET_KEY), server.baseUrl),
      async () => [],
      createReturnPaths(TEST_SECRET_KEY).addressFor,
      (stored) => stored,
      server.clock.now,
      maker,
      async () => null,
    );
    const sized = { ...content, html: 'x'.repeat(size), text: null };
    const builds = Array.from({ length: 200 }, () => builder.build(sized, [0]));
    for (let left = 200; left > 0; left -= atOnce) {
      await expect.poll(() => waiting.length, until).toBe(Math.min(left, atOnce));
      for (const end of waiting.splice(0)) end();
    }
    expect(await Promise.all(builds)).toHaveLength(200);
  });
});

function claimAll({ database, clock }: TestApp) {
  return claimDeliveries(database.sql, {
    ...{ leaseId: randomUUID(), now: clock.now(), leaseUntil: clock.now(), limit: 10, perAccount: 10 },
    ...{ afterAccount: '00000000-0000-0000-0000-000000000000', maxAccounts: 10 },
  });
}

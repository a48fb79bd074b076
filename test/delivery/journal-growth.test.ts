import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { AttemptOutcome } from '../../packages/server/src/delivery/attempt-outcome.ts';
import { openReplyJournal, readOrphanedJournals } from '../../packages/server/src/delivery/reply-journal.ts';
import { useCleanUps } from '../harness/clean-ups.ts';

const cleanUp = useCleanUps();

function outcome(deliveryId: number): AttemptOutcome {
  const fence = { accountId: 'a', deliveryId: String(deliveryId), messageId: 'm', leaseId: 'l', attempt: 1 };
  const at = '2026-05-01T12:00:00.000Z';
  return { ...fence, at, recipients: [], retryAt: null, recipientsInMessage: 1, lastError: 'x'.repeat(1_000) };
}

it('the reply journal stays small under a load in which something is always pending, and keeps what is pending', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-growth-'));
  cleanUp(() => rm(folder, { recursive: true, force: true }));
  const journal = openReplyJournal(folder, 'busy', (error) => {
    throw error;
  });
  for (let n = 0; n < 10_000; n += 100) {
    journal.append(Array.from({ length: 100 }, (_, i) => outcome(n + i)));
    journal.clearIfSettled(150);
  }
  const names = await readdir(folder);
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(3_000_000);
  const left = await readOrphanedJournals(folder, async (name) => name !== 'busy');
  const kept = new Set(left.outcomes.map(({ deliveryId }) => Number(deliveryId)));
  expect(Array.from({ length: 150 }, (_, i) => 9_850 + i).filter((id) => !kept.has(id))).toEqual([]);
  journal.clearIfSettled(0);
  journal.close();
  expect(await readdir(folder)).toEqual([]);
});

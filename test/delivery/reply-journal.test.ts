import { appendFile, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AttemptOutcome } from '../../packages/server/src/delivery/attempt-outcome.ts';
import { openReplyJournal, readLeftJournals } from '../../packages/server/src/delivery/reply-journal.ts';
import { useCleanUps } from '../harness/clean-ups.ts';

const cleanUp = useCleanUps();
const running = async (): Promise<boolean> => true;
const gone = async (): Promise<boolean> => false;

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-journal-'));
  cleanUp(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'journal');
}

function outcome(deliveryId: string): AttemptOutcome {
  const at = '2026-05-01T12:00:00.000Z';
  const fence = { accountId: 'a', deliveryId, messageId: 'm', leaseId: 'l', attempt: 1 };
  return { ...fence, at, recipients: [], retryAt: null, recipientsInMessage: 1, lastError: 'Zoë\n"x"' };
}

describe('the reply journal', () => {
  it('keeps outcomes on disk from the moment they are appended', async () => {
    const folder = await newFolder();
    const journal = openReplyJournal(folder, 'one');
    journal.append([outcome('1'), outcome('2')]);
    journal.append([outcome('3')]);
    expect((await readLeftJournals(folder, gone)).outcomes).toEqual([outcome('1'), outcome('2'), outcome('3')]);
    expect((await stat(join(folder, 'one.journal'))).mode & 0o777).toBe(0o600);
    journal.close();
  });

  it('forgets them when all are recorded, and not while one is pending', async () => {
    const folder = await newFolder();
    const journal = openReplyJournal(folder, 'one');
    journal.append([outcome('1')]);
    journal.clearIfSettled(1);
    expect((await readLeftJournals(folder, gone)).outcomes).toHaveLength(1);
    journal.clearIfSettled(0);
    expect((await readLeftJournals(folder, gone)).outcomes).toEqual([]);
    journal.append([outcome('2')]);
    expect(await readFile(join(folder, 'one.journal'), 'utf8')).toBe(`${JSON.stringify(outcome('2'))}\n`);
    journal.close();
  });

  it('leaves no file behind where nothing is open, and one where something is', async () => {
    const folder = await newFolder();
    const settled = openReplyJournal(folder, 'settled');
    settled.append([outcome('1')]);
    settled.clearIfSettled(0);
    settled.close();
    const open = openReplyJournal(folder, 'open');
    open.append([outcome('1')]);
    open.close();
    expect(await readdir(folder)).toEqual(['open.journal']);
  });
});

describe('journals that dead processes left', () => {
  it('are read, all of them, but not those of processes that still run', async () => {
    const folder = await newFolder();
    for (const name of ['dead-1', 'dead-2', 'alive']) {
      const journal = openReplyJournal(folder, name);
      journal.append([outcome(name)]);
      journal.close();
    }
    const left = await readLeftJournals(folder, async (name) => name === 'alive');
    expect(left.outcomes.map(({ deliveryId }) => deliveryId).sort()).toEqual(['dead-1', 'dead-2']);
    left.forget();
    expect(await readdir(folder)).toEqual(['alive.journal']);
    expect((await readLeftJournals(folder, running)).outcomes).toEqual([]);
  });

  it('may end in a line that the crash cut short: it is skipped, the others count', async () => {
    const folder = await newFolder();
    const journal = openReplyJournal(folder, 'torn');
    journal.append([outcome('1')]);
    journal.close();
    await appendFile(join(folder, 'torn.journal'), JSON.stringify(outcome('2')).slice(0, 40));
    expect((await readLeftJournals(folder, gone)).outcomes).toEqual([outcome('1')]);
  });

  it('need not be there: a folder that is missing is made', async () => {
    const folder = await newFolder();
    expect((await readLeftJournals(folder, gone)).outcomes).toEqual([]);
    expect(await readdir(folder)).toEqual([]);
  });
});

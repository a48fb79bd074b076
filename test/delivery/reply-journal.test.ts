import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AttemptOutcome } from '../../packages/server/src/delivery/attempt-outcome.ts';
import {
  openReplyJournal as open,
  type ReplyJournal,
  readOrphanedJournals,
} from '../../packages/server/src/delivery/reply-journal.ts';
import { useCleanUps } from '../harness/clean-ups.ts';

const cleanUp = useCleanUps();
const running = async (): Promise<boolean> => true;
const gone = async (): Promise<boolean> => false;

function openReplyJournal(folder: string, name: string): ReplyJournal {
  return open(folder, name, (error) => {
    throw error;
  });
}

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
  it('keeps the facts of attempts, and leaves out their conversations', async () => {
    const folder = await newFolder();
    const tries = [
      'A\t1\t2\t0\taccepted\tmx.test\t\t25\t\t\t\t0\t=\nC RCPT TO:<ann@example.com>\nS 250 OK',
      'A\t1\t2\t0\tfailed\tmx.test\t\t25\t\t\t\t0\tNo route.',
    ];
    openReplyJournal(folder, 'one').append([{ ...outcome('1'), transport: 'direct', tries }]);
    const { outcomes } = await readOrphanedJournals(folder, gone);
    expect(outcomes[0]?.tries).toEqual(['A\t1\t2\t0\taccepted\tmx.test\t\t25\t\t\t\t0\t250 OK', tries[1]]);
  });

  it('keeps outcomes on disk from the moment they are appended', async () => {
    const folder = await newFolder();
    const journal = openReplyJournal(folder, 'one');
    journal.append([outcome('1'), outcome('2')]);
    journal.append([outcome('3')]);
    expect((await readOrphanedJournals(folder, gone)).outcomes).toEqual([outcome('1'), outcome('2'), outcome('3')]);
    expect((await stat(join(folder, 'one.journal'))).mode & 0o777).toBe(0o600);
    journal.close();
  });

  it('forgets them when all are recorded, and not while one is pending', async () => {
    const folder = await newFolder();
    const journal = openReplyJournal(folder, 'one');
    journal.append([outcome('1')]);
    journal.clearIfSettled(1);
    expect((await readOrphanedJournals(folder, gone)).outcomes).toHaveLength(1);
    journal.clearIfSettled(0);
    expect((await readOrphanedJournals(folder, gone)).outcomes).toEqual([]);
    journal.append([outcome('2')]);
    expect(await readFile(join(folder, 'one.journal'), 'utf8')).toBe(`${JSON.stringify(outcome('2'))}\n`);
    journal.close();
  });

  it('leaves a file behind only when something is open', async () => {
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

describe('a reply journal that grows', () => {
  /** Of about 1,000 bytes. */
  const long = (id: string) => ({ ...outcome(id), lastError: 'x'.repeat(1_000) });
  const batch = (from: number, count: number) => Array.from({ length: count }, (_, n) => long(String(from + n)));

  it('continues in a new file after each megabyte, and loses nothing in a crash', async () => {
    const folder = await newFolder();
    const journal = openReplyJournal(folder, 'one');
    for (let from = 0; from < 3_000; from += 500) journal.append(batch(from, 500));
    expect((await readdir(folder)).sort()).toEqual(['one.journal', 'one~1.journal', 'one~2.journal']);
    const left = await readOrphanedJournals(folder, gone);
    expect(left.processNames).toEqual(['one']);
    expect(left.outcomes.map(({ deliveryId }) => Number(deliveryId)).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 3_000 }, (_, n) => n),
    );
    expect((await readOrphanedJournals(folder, running)).outcomes).toEqual([]);
    left.forget();
    expect(await readdir(folder)).toEqual([]);
  });

  it('drops a file as soon as everything in it is recorded, while later files are pending', async () => {
    const folder = await newFolder();
    const journal = openReplyJournal(folder, 'one');
    for (const from of [0, 2_000, 4_000]) journal.append(batch(from, 2_000));
    expect((await readdir(folder)).sort()).toEqual(['one.journal', 'one~1.journal', 'one~2.journal']);
    journal.clearIfSettled(2_001);
    expect((await readdir(folder)).sort()).toEqual(['one~1.journal', 'one~2.journal']);
    journal.clearIfSettled(2_000);
    expect(await readdir(folder)).toEqual(['one~2.journal']);
    journal.clearIfSettled(0);
    journal.close();
    expect(await readdir(folder)).toEqual([]);
  });
});

describe.runIf(process.platform === 'linux')('a reply journal on a full disk', () => {
  it('reports it each time, never throws, and continues in a file that can be written', async () => {
    const folder = await newFolder();
    await mkdir(folder);
    await symlink('/dev/full', join(folder, 'full.journal'));
    const logged: string[] = [];
    const journal = open(folder, 'full', (error, what) => logged.push(`${what}: ${String(error)}`));
    journal.append([outcome('1')]);
    expect(logged).toEqual([expect.stringMatching(/^writing the reply journal.*ENOSPC/)]);
    journal.append([outcome('2')]);
    expect(logged).toHaveLength(1);
    expect(await readFile(join(folder, 'full~1.journal'), 'utf8')).toBe(`${JSON.stringify(outcome('2'))}\n`);
    journal.clearIfSettled(1);
    journal.clearIfSettled(0);
    journal.close();
  });
});

describe('journals of dead processes', () => {
  it('are all read, unlike those of processes that still run', async () => {
    const folder = await newFolder();
    for (const name of ['dead-1', 'dead-2', 'alive']) {
      const journal = openReplyJournal(folder, name);
      journal.append([outcome(name)]);
      journal.close();
    }
    const left = await readOrphanedJournals(folder, async (name) => name === 'alive');
    expect(left.outcomes.map(({ deliveryId }) => deliveryId).sort()).toEqual(['dead-1', 'dead-2']);
    left.forget();
    expect(await readdir(folder)).toEqual(['alive.journal']);
    expect((await readOrphanedJournals(folder, running)).outcomes).toEqual([]);
  });

  it('may end in a line that the crash cut short: it is skipped, and the others count', async () => {
    const folder = await newFolder();
    const journal = openReplyJournal(folder, 'torn');
    journal.append([outcome('1')]);
    journal.close();
    await appendFile(join(folder, 'torn.journal'), JSON.stringify(outcome('2')).slice(0, 40));
    expect((await readOrphanedJournals(folder, gone)).outcomes).toEqual([outcome('1')]);
  });

  it('need not exist: a missing folder is created', async () => {
    const folder = await newFolder();
    expect((await readOrphanedJournals(folder, gone)).outcomes).toEqual([]);
    expect(await readdir(folder)).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import type { Pool } from '../../packages/server/src/db/client.ts';
import { createRequestLog } from '../../packages/server/src/http/request-log.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';

const ENTRY = {
  ...{ accountId: '019368aa-0000-7000-8000-000000000000', requestId: 'r', method: 'GET', path: '/emails', status: 200 },
  ...{ code: null, durationMs: 1, keyId: null, emailId: null },
};

/** A pool that writes when it is told to, and the number of lines of each write. */
function openSlowPool() {
  const writes: { readonly lines: number; readonly finish: () => void }[] = [];
  const copyIn = (_statement: string, text: string) =>
    new Promise<void>((finish) => writes.push({ lines: text.split('\n').length - 1, finish }));
  return { writes, pool: { copyIn } as unknown as Pool };
}

describe('the request log', () => {
  it('writes what arrives during a flush with the next one, which a caller that settles waits for', async () => {
    const { writes, pool } = openSlowPool();
    const log = createRequestLog(pool, { now: () => new Date() }, createIdGenerator(), (error) => {
      throw error;
    });
    const add = (count: number) => {
      for (let n = 0; n < count; n += 1) log.add(ENTRY);
    };
    add(3);
    const first = log.flush();
    add(2);
    const second = log.flush();
    add(1);
    const third = log.flush();
    expect(writes.map(({ lines }) => lines)).toEqual([3]);
    writes[0]?.finish();
    await first;
    await expect.poll(() => writes.map(({ lines }) => lines)).toEqual([3, 3]);
    writes[1]?.finish();
    await Promise.all([second, third]);
    await log.close();
    expect(writes).toHaveLength(2);
  });

  it('writes a backlog in parts of 2,000', async () => {
    const { writes, pool } = openSlowPool();
    const log = createRequestLog(pool, { now: () => new Date() }, createIdGenerator(), () => {});
    for (let n = 0; n < 4_500; n += 1) log.add(ENTRY);
    const flushed = log.flush();
    for (const part of [0, 1, 2]) {
      await expect.poll(() => writes.length).toBe(part + 1);
      writes[part]?.finish();
    }
    await flushed;
    expect(writes.map(({ lines }) => lines)).toEqual([2_000, 2_000, 500]);
    await log.close();
  });

  it('leaves out only the entry that the database rejects', async () => {
    const written: string[] = [];
    const faults: unknown[] = [];
    const copyIn = async (_statement: string, text: string) => {
      if (text.includes('\tbad\t')) throw Object.assign(new Error('invalid'), { code: '22P02' });
      written.push(...text.trimEnd().split('\n'));
    };
    const pool = { copyIn } as unknown as Pool;
    const log = createRequestLog(pool, { now: () => new Date() }, createIdGenerator(), (error) => faults.push(error));
    for (let n = 0; n < 9; n += 1) log.add({ ...ENTRY, requestId: n === 5 ? 'bad' : `r${n}` });
    await log.close();
    expect(written).toHaveLength(8);
    expect(faults).toHaveLength(1);
  });

  it('keeps the entries of a flush that fails, and does not wait for another', async () => {
    let isDown = true;
    let tries = 0;
    const copyIn = async () => {
      tries += 1;
      if (isDown) throw Object.assign(new Error('gone'), { code: '57P01' });
    };
    const log = createRequestLog(
      { copyIn } as unknown as Pool,
      { now: () => new Date() },
      createIdGenerator(),
      () => {},
    );
    log.add(ENTRY);
    await Promise.all([log.flush(), log.flush()]);
    expect(tries).toBe(1);
    isDown = false;
    await log.close();
    expect(tries).toBe(2);
  });
});

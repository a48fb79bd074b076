import { constants, PerformanceObserver } from 'node:perf_hooks';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { reportLargeGarbage } from '../../packages/server/src/heap.ts';
import { DEFAULT_SEND, startTestApp, type TestApp } from '../harness/test-app.ts';

const FORCED = constants.NODE_PERFORMANCE_GC_FLAGS_FORCED | constants.NODE_PERFORMANCE_GC_FLAGS_ALL_AVAILABLE_GARBAGE;

describe('the garbage of requests', { timeout: 60_000 }, () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
  });
  afterAll(() => server.close());
  afterEach(() => vi.restoreAllMocks());

  /** Counts how often the server collects its whole heap on demand from now on. */
  function countCollections(): { readonly count: () => number; readonly stop: () => void } {
    let count = 0;
    const observer = new PerformanceObserver((list) => {
      count += list.getEntries().filter((entry) => (flagsOf(entry) & FORCED) !== 0).length;
    });
    observer.observe({ entryTypes: ['gc'] });
    return { count: () => count, stop: () => observer.disconnect() };
  }

  async function sendBatches(batches: number, html: string): Promise<void> {
    const emails = Array(100).fill({ ...DEFAULT_SEND, html });
    for (let n = 0; n < batches; n += 1) {
      const { body } = await server.call('POST', '/emails/batch', { body: { emails } });
      expect(body.accepted).toBe(100);
    }
  }

  /** The memory that the process uses from now on, as far as the server sees. This process also runs the tests. */
  function useMemory(megabytes: number): void {
    vi.spyOn(process.memoryUsage, 'rss').mockReturnValue(megabytes * 1024 * 1024);
  }

  /** 70 MB in all. */
  function reportSmall(): void {
    for (let n = 0; n < 70; n += 1) reportLargeGarbage(1_000_000);
  }

  // First, because a collection for large ones may follow after some time.
  it('of ordinary messages is not collected on demand, because that would stop all other requests', async () => {
    useMemory(300);
    const { count, stop } = countCollections();
    await sendBatches(40, `<p>${'x'.repeat(4_000)}</p>`);
    reportSmall();
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(count()).toBe(0);
    stop();
  });

  it('of many ordinary messages is, in a process that uses much memory', async () => {
    useMemory(400);
    const { count, stop } = countCollections();
    reportSmall();
    await expect.poll(count, { timeout: 10_000 }).toBeGreaterThan(0);
    stop();
  });

  it('of large ones is', async () => {
    const { count, stop } = countCollections();
    await sendBatches(10, `<p>${'x'.repeat(15_000)}</p>`);
    await expect.poll(count, { timeout: 10_000 }).toBeGreaterThan(0);
    stop();
  });
});

function flagsOf(entry: object): number {
  const detail = 'detail' in entry ? entry.detail : null;
  const isFlagged = typeof detail === 'object' && detail !== null && 'flags' in detail;
  return isFlagged && typeof detail.flags === 'number' ? detail.flags : 0;
}

import { constants, PerformanceObserver } from 'node:perf_hooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_SEND, startTestApp, type TestApp } from '../harness/test-app.ts';

const FORCED = constants.NODE_PERFORMANCE_GC_FLAGS_FORCED | constants.NODE_PERFORMANCE_GC_FLAGS_ALL_AVAILABLE_GARBAGE;

describe('the garbage of requests', { timeout: 60_000 }, () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
  });
  afterAll(() => server.close());

  /** How often the server collected its whole heap on demand during these batches. */
  async function countCollections(batches: number, html: string): Promise<number> {
    let count = 0;
    const observer = new PerformanceObserver((list) => {
      count += list.getEntries().filter((entry) => (flagsOf(entry) & FORCED) !== 0).length;
    });
    observer.observe({ entryTypes: ['gc'] });
    const emails = Array(100).fill({ ...DEFAULT_SEND, html });
    for (let n = 0; n < batches; n += 1) {
      const { body } = await server.call('POST', '/emails/batch', { body: { emails } });
      expect(body.accepted).toBe(100);
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
    observer.disconnect();
    return count;
  }

  // First, because a collection for large ones may follow after half a second.
  it('of batches of ordinary messages is not, because that would stop all other requests', async () => {
    expect(await countCollections(40, `<p>${'x'.repeat(4_000)}</p>`)).toBe(0);
  });

  it('of large ones is collected on demand', async () => {
    expect(await countCollections(10, `<p>${'x'.repeat(15_000)}</p>`)).toBeGreaterThan(0);
  });
});

function flagsOf(entry: object): number {
  const detail = 'detail' in entry ? entry.detail : null;
  const isFlagged = typeof detail === 'object' && detail !== null && 'flags' in detail;
  return isFlagged && typeof detail.flags === 'number' ? detail.flags : 0;
}

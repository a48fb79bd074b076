import { afterEach, describe, expect, it } from 'vitest';
import { openCollector } from '../../packages/server/src/heap.ts';
import type { TemplateJob } from '../../packages/server/src/templates/template-job.ts';
import { createThreadPool, type ThreadPool } from '../../packages/server/src/threads/thread-pool.ts';

const SETTINGS = {
  sourceCharacters: 2_000_000,
  memoryUnits: 4_000_000,
  // Past the end of the thread, so that what ends a job here is the thread's end.
  renderMs: 60_000,
  resultCharacters: 2_000_000,
  keptCharacters: 1_000,
  reserved: { unsubscribe_url: '{{unsubscribe_url}}' },
};
const MODULE = new URL('../../packages/server/src/templates/template-worker.ts', import.meta.url);
const ENDLESS = '{% for i in (1..3000000) %}{% for j in list %}{{ j }}{% endfor %}{% endfor %}';

function render(html: string, variables: object = {}, key: string | null = null): TemplateJob {
  return {
    kind: 'render',
    key,
    source: { subject: null, html, text: null },
    leaves: null,
    variables: JSON.stringify(variables),
  };
}

describe('a pool of threads', () => {
  let pool: ThreadPool<TemplateJob>;
  afterEach(() => pool.close());

  const open = (options: { threads?: number; maxWaitMs?: number; killAfterMs?: number } = {}) => {
    const defaults = {
      module: MODULE,
      threads: 3,
      heapMb: 64,
      killAfterMs: 300,
      maxWaitMs: 10_000,
      settings: SETTINGS,
    };
    pool = createThreadPool<TemplateJob>({ ...defaults, ...options });
  };
  const endless = (owner: string) => pool.run({ accountId: owner }, render(ENDLESS, { list: Array(1_000).fill('x') }));
  const quick = async (owner: string) => {
    const outcome = await pool.run({ accountId: owner }, render('{{ name }}', { name: owner }));
    return outcome.kind === 'done' ? outcome.response : outcome;
  };

  it('kills a job that takes too long, with its thread, and starts another', async () => {
    open({ threads: 1 });
    expect(await endless('a')).toEqual({ kind: 'overrun' });
    expect(await quick('b')).toMatchObject({ ok: true, html: 'b' });
  });

  it('keeps nothing of a job once it is done', async () => {
    open({ threads: 1 });
    const ask = async () => {
      const job = render('{{ name }}');
      await pool.run({ accountId: 'a' }, job);
      return new WeakRef(job);
    };
    const done = await ask();
    const { collect } = openCollector();
    await expect.poll(() => [collect(), done.deref() === undefined].at(1)).toBe(true);
  });

  it('kills a job that uses too much memory, again and again, and this process survives', async () => {
    open({ killAfterMs: 3_000 });
    const hungry = render('{% for i in (1..2000000) %}{% for j in (1..1900000) %}x{% endfor %}{% endfor %}');
    for (let round = 0; round < 2; round += 1)
      expect(await pool.run({ accountId: 'a' }, hungry)).toEqual({ kind: 'overrun' });
    expect(await quick('a')).toMatchObject({ html: 'a' });
  });

  it('leaves a thread to the others, however many endless jobs one owner has', async () => {
    open({ killAfterMs: 1_000 });
    const hogs = Array.from({ length: 4 }, () => endless('hog'));
    const responses = await Promise.all(['a', 'b', 'c', 'd', 'e'].map(quick));
    expect(responses).toMatchObject([{ html: 'a' }, { html: 'b' }, { html: 'c' }, { html: 'd' }, { html: 'e' }]);
    expect(await Promise.race([hogs[3], 'still waiting'])).toBe('still waiting');
    expect(await Promise.all(hogs)).toEqual(Array(4).fill({ kind: 'overrun' }));
  });

  it('alternates between owners, so that a long queue of one delays no other', async () => {
    // With one thread the jobs end in the order in which they are taken.
    open({ threads: 1 });
    const order: string[] = [];
    const noted = (owner: string) => pool.run({ accountId: owner }, render('x')).then(() => order.push(owner));
    await Promise.all([...Array.from({ length: 20 }, () => noted('many')), noted('few')]);
    expect(order.indexOf('few')).toBeLessThan(5);
  });

  it('rejects a job that finds no thread in time, and says so', async () => {
    open({ threads: 2, maxWaitMs: 1_000, killAfterMs: 2_000 });
    await quick('a');
    const running = endless('a');
    expect(await pool.run({ accountId: 'a' }, render('x'))).toEqual({ kind: 'busy' });
    expect(await running).toEqual({ kind: 'overrun' });
  });

  it('keeps what it parsed by key, and evicts the oldest when it is too much', async () => {
    open({ threads: 1 });
    const sources = Array.from({ length: 10 }, (_, index) => `${'x'.repeat(300)}${index}{{ a }}`);
    for (let round = 0; round < 3; round += 1) {
      for (const [index, source] of sources.entries()) {
        const outcome = await pool.run({ accountId: 'a' }, render(source, { a: round }, `t${index}@1`));
        expect(outcome).toMatchObject({ response: { html: `${source.replace('{{ a }}', '')}${round}` } });
      }
    }
  });

  it('settles what still waits when it is closed', async () => {
    open({ threads: 2 });
    await quick('a');
    const jobs = Array.from({ length: 5 }, () => endless('a'));
    await pool.close();
    const kinds = (await Promise.all(jobs)).map(({ kind }) => kind);
    expect(kinds).toEqual(['overrun', 'busy', 'busy', 'busy', 'busy']);
    expect(await pool.run({ accountId: 'a' }, render('x'))).toEqual({ kind: 'busy' });
  });
});

import { describe, expect, it } from 'vitest';
import { createChangeWatcher } from '../../packages/server/src/events/change-watcher.ts';

const request = (ownerId: string) => ({ ownerId, watched: [{ name: 'a' }] });

function create(readStates = () => Promise.resolve<(string | null)[]>(['1'])) {
  return createChangeWatcher({ readStates, findAllowed: async () => [true], maxPerOwner: 2, maxWatches: 3 });
}

describe('a watcher of changes', () => {
  it('allows so many watches of one owner, and so many in total', async () => {
    const watcher = create();
    const [first] = [await watcher.open(request('one')), await watcher.open(request('one'))];
    expect(await watcher.open(request('one'))).toBeNull();
    expect(await watcher.open(request('two'))).not.toBeNull();
    expect(await watcher.open(request('three'))).toBeNull();
    first?.close();
    first?.close();
    expect(await watcher.open(request('three'))).not.toBeNull();
    expect(await watcher.open(request('four'))).toBeNull();
    watcher.close();
  });

  it('does not count a watch whose first state could not be read', async () => {
    const failing = [true, true, true, true];
    const watcher = create(() => (failing.pop() ? Promise.reject(new Error('down')) : Promise.resolve(['1'])));
    for (let n = 0; n < 4; n += 1) await expect(watcher.open(request('one'))).rejects.toThrow('down');
    expect(await watcher.open(request('one'))).not.toBeNull();
    watcher.close();
  });

  it('queries only while something is watched', async () => {
    let reads = 0;
    const second = Promise.withResolvers<void>();
    const watcher = create(() => {
      reads += 1;
      if (reads === 2) second.resolve();
      return Promise.resolve([String(reads)]);
    });
    const changed = Promise.withResolvers<string>();
    const watch = await watcher.open(request('one'));
    expect(reads).toBe(1);
    watch?.start(changed.resolve, () => {});
    expect(await changed.promise).toBe('a');
    await second.promise;
    watch?.close();
    expect(reads).toBe(2);
    watcher.close();
  });

  it('ends every watch when it closes, and opens none after that', async () => {
    const watcher = create();
    const [started, notStarted] = [await watcher.open(request('one')), await watcher.open(request('two'))];
    const ended: string[] = [];
    started?.start(
      () => {},
      () => ended.push('started'),
    );
    watcher.close();
    notStarted?.start(
      () => {},
      () => ended.push('not started'),
    );
    expect(ended).toEqual(['started', 'not started']);
    expect(await watcher.open(request('three'))).toBeNull();
    started?.close();
  });
});

import { describe, expect, it } from 'vitest';
import type { DomainKey } from '../../packages/server/src/db/queries/domains.ts';
import { decideKeyChanges } from '../../packages/server/src/sending-domains/key-changes.ts';
import { planRotation } from '../../packages/server/src/sending-domains/rotate-keys.ts';

function key(selector: string, state: DomainKey['state'], algorithm: DomainKey['algorithm'] = 'rsa'): DomainKey {
  return {
    id: selector,
    selector,
    state,
    algorithm,
    publicKey: '',
    retiredAt: state === 'retired' ? '2026-01-01' : null,
  };
}

const OLD = key('old', 'signing');
const NEW = key('new', 'waiting');
const plan = (keys: DomainKey[], order: { dkimSelector?: string; ed25519?: boolean } = {}) => {
  const made = planRotation(keys, { dkimSelector: null, ed25519: null, actor: 'x', ...order }, 'fresh');
  const names = (list: readonly { selector: string }[]) => list.map(({ selector }) => selector);
  return { drops: names(made.drops), retires: names(made.retires), makes: names(made.makes) };
};
const NOTHING = { drops: [], retires: [], makes: [] };

describe('planning a rotation', () => {
  it.each([
    ['creates a key', [OLD], {}, { ...NOTHING, makes: ['fresh'] }],
    ['creates a key with the named selector', [OLD], { dkimSelector: 's2' }, { ...NOTHING, makes: ['s2'] }],
    ['does nothing while one waits', [OLD, NEW], {}, NOTHING],
    ['does nothing while the named one waits', [OLD, NEW], { dkimSelector: 'new' }, NOTHING],
    ['replaces one that waits', [OLD, NEW], { dkimSelector: 's2' }, { ...NOTHING, drops: ['new'], makes: ['s2'] }],
    ['adds a second key', [OLD], { ed25519: true }, { ...NOTHING, makes: ['fresh', 'fresh-ed25519'] }],
    ['adds a second key beside one that waits', [OLD, NEW], { ed25519: true }, { ...NOTHING, makes: ['new-ed25519'] }],
    [
      'renews a second key',
      [OLD, key('old-ed25519', 'signing', 'ed25519')],
      {},
      { ...NOTHING, makes: ['fresh', 'fresh-ed25519'] },
    ],
    ['keeps a second key that waits', [OLD, key('e', 'waiting', 'ed25519')], {}, { ...NOTHING, makes: ['fresh'] }],
    [
      'removes a second key',
      [OLD, key('e', 'signing', 'ed25519'), key('f', 'waiting', 'ed25519')],
      { ed25519: false },
      { drops: ['f'], retires: ['e'], makes: ['fresh'] },
    ],
    [
      'leaves retired keys alone',
      [OLD, key('r', 'retired'), key('e', 'retired', 'ed25519')],
      {},
      { ...NOTHING, makes: ['fresh'] },
    ],
  ])('%s', (_, keys, order, expected) => {
    expect(plan(keys, order)).toEqual(expected);
  });
});

describe('the keys after a lookup', () => {
  const changes = (keys: DomainKey[], verdicts: Record<string, 'pass' | 'fail' | 'pending'>) =>
    decideKeyChanges(keys, ({ selector }) => {
      const status = verdicts[selector];
      return status === undefined ? undefined : { status, reason: null, found: [] };
    }).map(({ kind, key: { selector } }) => `${kind} ${selector}`);

  it.each([
    ['switch once the new record is found', [OLD, NEW], { old: 'pass', new: 'pass' }, ['retire old', 'sign new']],
    [
      'switch also when the old record is already gone',
      [OLD, NEW],
      { old: 'fail', new: 'pass' },
      ['retire old', 'sign new'],
    ],
    ['stay while it is not there', [OLD, NEW], { old: 'pass', new: 'fail' }, []],
    ['stay while the DNS does not respond', [OLD, NEW], { old: 'pass', new: 'pending' }, []],
    ['stay when it was not looked up', [OLD, NEW], { old: 'pass' }, []],
    ['stay when the only record is gone', [OLD], { old: 'fail' }, []],
    ['start signing with a second one', [OLD, key('e', 'waiting', 'ed25519')], { old: 'pass', e: 'pass' }, ['sign e']],
    [
      'stop signing with a second one that is not found',
      [OLD, key('e', 'signing', 'ed25519')],
      { e: 'fail' },
      ['wait e'],
    ],
    ['keep a second one while the DNS does not respond', [OLD, key('e', 'signing', 'ed25519')], { e: 'pending' }, []],
    [
      'drop a second one when the next one waits',
      [OLD, key('e', 'signing', 'ed25519'), key('f', 'waiting', 'ed25519')],
      { e: 'fail', f: 'fail' },
      ['retire e'],
    ],
  ] as const)('%s', (_, keys, verdicts, expected) => {
    expect(changes([...keys], verdicts)).toEqual(expected);
  });
});

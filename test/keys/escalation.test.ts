import { describe, expect, it } from 'vitest';
import type { KeyRestrictions } from '../../packages/server/src/db/queries/api-keys.ts';
import { findEscalations } from '../../packages/server/src/keys/escalation.ts';
import { defaultRestrictions } from '../../packages/server/src/keys/key-restrictions.ts';

type Changes = Partial<KeyRestrictions>;

const keyOf = (changes: Changes): KeyRestrictions => ({
  ...defaultRestrictions('live'),
  scopes: ['emails:send', 'emails:read'],
  ...changes,
});

const at = (text: string) => new Date(`${text}T00:00:00Z`);
const holds = (changes: Partial<NonNullable<KeyRestrictions['holdWhen']>>) => ({
  approvalMode: 'policy' as const,
  holdWhen: {
    ...{ firstContact: false, hasBcc: false, hasAttachments: false, freeformBody: false },
    ...{ recipientDomainNotIn: null, recipientsOver: null, linkDomainNotIn: null },
    ...changes,
  },
});
const bot = { personaAgentName: 'bot', personaSource: 'agent', lockPersona: true } as const;

/** What the granting key has, what the other one is to have, and the dimension in which that is more: none where it is not. */
const TABLE: readonly (readonly [granter: Changes, wanted: Changes, more: string | null])[] = [
  [{}, {}, null],
  [{}, { scopes: ['emails:send'] }, null],
  [{}, { scopes: ['emails:send', 'keys:write'] }, 'scopes'],
  [{ mode: 'live' }, { mode: 'test' }, null],
  [{ mode: 'test' }, { mode: 'test' }, null],
  [{ mode: 'test' }, { mode: 'live' }, 'mode'],
  [{ rateLimit: 60 }, { rateLimit: 60 }, null],
  [{ rateLimit: 60 }, { rateLimit: 61 }, 'rateLimit'],
  [{ recipientAllowlist: null }, { recipientAllowlist: null }, null],
  [{ recipientAllowlist: ['@b.example'] }, { recipientAllowlist: null }, 'recipientAllowlist'],
  [{ recipientAllowlist: ['@b.example'] }, { recipientAllowlist: [] }, null],
  [{ recipientAllowlist: ['@b.example'] }, { recipientAllowlist: ['a@b.example', '@b.example'] }, null],
  [{ recipientAllowlist: ['@b.example'] }, { recipientAllowlist: ['a@c.b.example'] }, 'recipientAllowlist'],
  [{ recipientAllowlist: ['@b.example'] }, { recipientAllowlist: ['*.b.example'] }, 'recipientAllowlist'],
  [{ recipientAllowlist: ['a@b.example'] }, { recipientAllowlist: ['@b.example'] }, 'recipientAllowlist'],
  [
    { recipientAllowlist: ['*.b.example'] },
    { recipientAllowlist: ['x@c.b.example', '@c.b.example', '*.c.b.example'] },
    null,
  ],
  [{ recipientAllowlist: ['*.b.example'] }, { recipientAllowlist: ['@b.example'] }, 'recipientAllowlist'],
  [{ recipientAllowlist: ['*.b.example'] }, { recipientAllowlist: ['x@evilb.example'] }, 'recipientAllowlist'],
  [{ recipientAllowlist: [] }, { recipientAllowlist: ['a@b.example'] }, 'recipientAllowlist'],
  [{ ipAllowlist: ['10.0.0.0/8'] }, { ipAllowlist: ['10.1.0.0/16', '10.0.0.0/8'] }, null],
  [{ ipAllowlist: ['10.0.0.0/8'] }, { ipAllowlist: null }, 'ipAllowlist'],
  [{ ipAllowlist: ['10.0.0.0/8'] }, { ipAllowlist: ['10.0.0.0/7'] }, 'ipAllowlist'],
  [{ ipAllowlist: ['10.0.0.0/8'] }, { ipAllowlist: ['11.0.0.1/32'] }, 'ipAllowlist'],
  [{ ipAllowlist: ['10.0.0.0/8'] }, { ipAllowlist: ['2001:db8::/64'] }, 'ipAllowlist'],
  [{ ipAllowlist: ['2001:db8::/32'] }, { ipAllowlist: ['2001:db8:1::/48'] }, null],
  [{ ipAllowlist: null }, { ipAllowlist: ['0.0.0.0/0'] }, null],
  [{ expiresAt: at('2030-01-01') }, { expiresAt: at('2029-01-01') }, null],
  [{ expiresAt: at('2030-01-01') }, { expiresAt: at('2031-01-01') }, 'expiresAt'],
  [{ expiresAt: at('2030-01-01') }, { expiresAt: null }, 'expiresAt'],
  [{ expiresAt: null }, { expiresAt: at('2031-01-01') }, null],
  [{ hourlySends: 10 }, { hourlySends: 10, dailySends: 5 }, null],
  [{ hourlySends: 10 }, { hourlySends: 11 }, 'sendLimit'],
  [{ hourlySends: 10 }, { dailySends: 5 }, 'sendLimit'],
  [{ dailySends: 10 }, { hourlySends: 1, dailySends: 11 }, 'sendLimit'],
  [{ dailySends: 10 }, {}, 'sendLimit'],
  [bot, bot, null],
  [bot, { ...bot, lockPersona: false }, 'lockPersona'],
  [bot, {}, 'lockPersona'],
  [bot, { ...bot, personaAgentName: 'ceo' }, 'lockPersona'],
  [bot, { ...bot, personaSource: null }, 'lockPersona'],
  [{ ...bot, personaSource: null }, bot, null],
  [{ ...bot, lockPersona: false }, {}, null],
  [{}, { approvalMode: 'always' }, null],
  [{ approvalMode: 'always' }, { approvalMode: 'always' }, null],
  [{ approvalMode: 'always' }, {}, 'approvalMode'],
  [{ approvalMode: 'always' }, holds({ firstContact: true }), 'approvalMode'],
  [holds({ firstContact: true }), { approvalMode: 'always' }, null],
  [holds({ firstContact: true }), {}, 'approvalMode'],
  [holds({ firstContact: true }), holds({ firstContact: true, hasBcc: true }), null],
  [holds({ firstContact: true, hasBcc: true }), holds({ firstContact: true }), 'approvalMode'],
  [holds({ recipientsOver: 5 }), holds({ recipientsOver: 4 }), null],
  [holds({ recipientsOver: 5 }), holds({ recipientsOver: 6 }), 'approvalMode'],
  [holds({ recipientsOver: 5 }), holds({}), 'approvalMode'],
  [holds({ recipientDomainNotIn: ['a.example', 'b.example'] }), holds({ recipientDomainNotIn: ['a.example'] }), null],
  [
    holds({ recipientDomainNotIn: ['a.example'] }),
    holds({ recipientDomainNotIn: ['a.example', 'c.example'] }),
    'approvalMode',
  ],
  [holds({ linkDomainNotIn: [] }), holds({ linkDomainNotIn: ['a.example'] }), 'approvalMode'],
  [holds({ linkDomainNotIn: ['a.example'] }), holds({ linkDomainNotIn: null }), 'approvalMode'],
];

describe('escalation', () => {
  it.each(TABLE)('a key %j grants %j: %j is too wide', { tags: ['keys.escalation'] }, (granter, wanted, more) => {
    expect(findEscalations(keyOf(granter), keyOf(wanted), null)).toEqual(more === null ? [] : [more]);
  });

  it('names every dimension that is too wide', () => {
    const granter = keyOf({ rateLimit: 10, ipAllowlist: ['10.0.0.0/8'], expiresAt: at('2030-01-01') });
    const wanted = keyOf({ scopes: ['team:write'], rateLimit: 20 });
    expect(findEscalations(granter, wanted, null)).toEqual(['scopes', 'rateLimit', 'ipAllowlist', 'expiresAt']);
  });

  it.each(TABLE.filter(([, , more]) => more !== null))(
    'a key %j may leave another at %j, and tighten it, but not set it to that',
    { tags: ['keys.escalation'] },
    (narrow, wide, more) => {
      const [granter, other] = [keyOf(narrow), keyOf(wide)];
      expect(findEscalations(granter, other, other)).toEqual([]);
      expect(findEscalations(granter, granter, other)).toEqual([]);
      expect(findEscalations(granter, other, granter)).toEqual([more]);
    },
  );

  it('does not apply to users, who may grant anything', () => {
    expect(findEscalations(null, keyOf({ scopes: ['keys:write'], rateLimit: 1_000_000 }), null)).toEqual([]);
  });
});

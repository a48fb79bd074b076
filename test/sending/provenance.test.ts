import { describe, expect, it } from 'vitest';
import { type ProvenanceClaims, resolveProvenance } from '../../packages/server/src/sending/provenance.ts';

const NO_CLAIMS: ProvenanceClaims = {
  body: {},
  headers: {},
  persona: { source: null, agentName: null },
  fixedChannel: null,
};

describe('provenance', () => {
  it.each<[string, Partial<ProvenanceClaims>, ReturnType<typeof resolveProvenance>]>([
    ['the defaults', {}, { channel: 'api', source: 'backend', agentName: null }],
    ['over MCP', { fixedChannel: 'mcp' }, { channel: 'mcp', source: 'agent', agentName: null }],
    ['over SMTP', { fixedChannel: 'smtp' }, { channel: 'smtp', source: 'backend', agentName: null }],
    ['a claimed channel', { body: { channel: 'sdk' } }, { channel: 'sdk', source: 'backend', agentName: null }],
    [
      'a claimed channel when the entry point sets its own',
      { body: { channel: 'api' }, fixedChannel: 'mcp' },
      { channel: 'mcp', source: 'agent', agentName: null },
    ],
    [
      'the body before all others',
      {
        body: { source: 'system', agentName: 'body' },
        headers: { source: 'automation', agentName: 'header' },
        persona: { source: 'backend', agentName: 'persona' },
        fixedChannel: 'mcp',
      },
      { channel: 'mcp', source: 'system', agentName: 'body' },
    ],
    [
      'the headers before the persona',
      { headers: { source: 'automation' }, persona: { source: 'system', agentName: 'persona' } },
      { channel: 'api', source: 'automation', agentName: 'persona' },
    ],
    [
      'the persona before the default',
      { persona: { source: 'system', agentName: null }, fixedChannel: 'mcp' },
      { channel: 'mcp', source: 'system', agentName: null },
    ],
  ])('%s', { tags: ['contract-sending.provenance'] }, (_, claims, expected) => {
    expect(resolveProvenance({ ...NO_CLAIMS, ...claims })).toEqual(expected);
  });
});

import { describe, expect, it } from 'vitest';
import { runAgainst } from './run-in-process.ts';

describe('the SDK’s word for a command', () => {
  it.each([
    [['domains', 'create', 'mail.example.com'], 'POST', '/domains'],
    [['emails', 'send-batch', '-'], 'POST', '/emails/batch'],
    [['suppressions', 'create', 'ada@example.org'], 'POST', '/suppressions'],
    [['suppressions', 'delete', 's1'], 'DELETE', '/suppressions/s1'],
    [['team', 'update', 'm1', '--role', 'viewer'], 'PATCH', '/team/m1'],
  ])('is accepted beside the command’s own: %j', async (argv, method, path) => {
    const { received } = await runAgainst([{ status: 200, body: {} }], [...argv, '--json'], { stdin: '[{}]' });
    expect([received[0]?.method, received[0]?.url]).toEqual([method, path]);
  });
});

import { describe, expect, it } from 'vitest';
import { toPublicHost } from '../../packages/server/src/sending-domains/public-host.ts';

describe('the name of this server in records', () => {
  it.each([
    [
      'Mail.Example.com',
      { name: 'mail.example.com', helo: 'mail.example.com', mechanism: 'a:mail.example.com', address: null },
    ],
    ['[192.0.2.1]', { name: 'host.example', helo: '[192.0.2.1]', mechanism: 'ip4:192.0.2.1', address: '192.0.2.1' }],
    [
      '[IPv6:2001:DB8::1]',
      { name: 'host.example', helo: '[IPv6:2001:DB8::1]', mechanism: 'ip6:2001:db8::1', address: '2001:db8::1' },
    ],
  ])('is derived from the HELO name %s', (helo, expected) => {
    expect(toPublicHost(helo, 'Host.example')).toEqual(expected);
  });
});

import { Socket } from 'node:net';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { createConnectionPlaces } from '../../packages/server/src/smtp-submission/connection-places.ts';

it.each([
  { limit: {}, allowed: 2 },
  { limit: { waitingPerAddress: 7 }, allowed: 7 },
])('allows $allowed connections of an address before login with $limit', ({ limit, allowed }) => {
  const places = createConnectionPlaces({
    ...{ connections: { total: 60, perAddress: 16, ...limit }, trustedProxies: [], handshakeMs: 1_000 },
    logger: pino({ level: 'silent' }),
  });
  const stays = Array.from({ length: 10 }, (_, index) => {
    const address = { remoteAddress: '192.0.2.1', remotePort: 1_000 + index };
    const socket = Object.defineProperties(new Socket(), {
      remoteAddress: { value: address.remoteAddress },
      remotePort: { value: address.remotePort },
    });
    places.take(socket, () => undefined);
    // Only what it reads of a session.
    const refusal = places.begin(address as Parameters<typeof places.begin>[0]);
    return !socket.destroyed && refusal === null;
  });
  expect(stays.filter(Boolean)).toHaveLength(allowed);
});

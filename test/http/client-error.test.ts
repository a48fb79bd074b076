import { randomUUID } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { respondToClientError } from '../../packages/server/src/http/client-error.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** Sends two requests over one connection, the second of which is not HTTP, and returns everything the server sent. */
async function exchange(respond: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((_request, response) => respond(response));
  servers.push(server);
  server.on('clientError', (error, socket) =>
    respondToClientError(error, socket as never, 'http://localhost', randomUUID()),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
  let received = '';
  socket.setEncoding('latin1');
  return await new Promise((resolve) => {
    socket.on('data', (text: string) => {
      if (received === '') socket.write('this is not HTTP\r\n\r\n');
      received += text;
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(received));
  });
}

describe('a request that is not HTTP', () => {
  it('is answered after a complete response', async () => {
    const received = await exchange((response) => response.end('first'));
    expect(received).toContain('first');
    expect(received).toContain('HTTP/1.1 400 Bad Request');
    expect(received).toContain('"code":"invalid_json"');
  });

  it('only closes the connection in the middle of a response', async () => {
    const received = await exchange((response) => response.write('first'));
    expect(received).toContain('first');
    expect(received).not.toContain('400');
  });
});

import { connect } from 'node:net';

/**
 * Sends bytes as they are and returns everything that comes back until the server closes or `until` has appeared: what no HTTP client
 * would let a test write.
 */
export function sendRaw(baseUrl: string, bytes: string | Buffer, until?: string): Promise<string> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      socket.write(bytes);
    });
    socket.setEncoding('latin1');
    socket.on('data', (text) => {
      received += String(text);
      if (until !== undefined && received.includes(until)) socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(received));
  });
}

import { connect } from 'node:net';

/**
 * Sends bytes unchanged and returns the response bytes until the server closes the connection or `until` appears, because HTTP clients do
 * not allow invalid requests.
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

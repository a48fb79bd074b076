import { createServer } from 'node:net';

/** Opens a port for a moment and returns its number. 0 selects a free one. */
export async function openPort(host: string, port: number): Promise<number> {
  return await new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(port, host, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

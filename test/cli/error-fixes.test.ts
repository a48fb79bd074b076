import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { describe, expect, it } from 'vitest';
import { writeProfiles } from '../../packages/cli/src/profiles.ts';
import { useCleanUps } from '../harness/clean-ups.ts';
import { makeCertificate } from '../harness/self-made-certificate.ts';
import { KEY, runAgainst, runInProcess } from './run-in-process.ts';

const afterwards = useCleanUps();

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterwards(() => server.close());
  return (server.address() as AddressInfo).port; // A TCP server that listens has no other kind of address.
}

async function failureAt(baseUrl: string, argv: readonly string[] = ['whoami']) {
  const { code, stderr } = await runInProcess([...argv, '--json', '--base-url', baseUrl, '--api-key', KEY]);
  const { code: name, fix } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '');
  return { code, name, fix };
}

describe('the fix of an error', () => {
  it('names doctor and NODE_EXTRA_CA_CERTS if the certificate is not trusted', async () => {
    const port = await portOf(createTlsServer(await makeCertificate(['localhost'])));
    expect(await failureAt(`https://localhost:${port}`)).toEqual({
      ...{ code: 8, name: 'connection_failed' },
      fix: expect.stringMatching(/certificate is not trusted.*postrider doctor.*NODE_EXTRA_CA_CERTS/),
    });
  });

  it('names the flag of the address if https is used on an http port', async () => {
    const port = await portOf(createServer((_, response) => response.setHeader('connection', 'close').end('<html>')));
    const { fix } = await failureAt(`https://127.0.0.1:${port}`);
    expect(fix).toContain('http:// in --base-url');
    expect(await failureAt(`http://127.0.0.1:${port}`)).toEqual({
      ...{ code: 1, name: 'unexpected_answer' },
      fix: 'Check that --base-url (or POSTRIDER_BASE_URL) is the address of the API.',
    });
  });

  it('names the flag of the address if a web page responds instead of the event stream, and does not retry', async () => {
    const answer = { status: 200, body: '<html></html>' };
    const { code, stderr, received } = await runAgainst([answer], ['webhooks', 'listen', '--json']);
    expect([code, received.length]).toEqual([1, 1]);
    expect(JSON.parse(stderr)).toMatchObject({ code: 'unexpected_answer', fix: expect.stringContaining('--base-url') });
  });

  it('names the setting of the credentials folder if that cannot be written', async () => {
    const env = { POSTRIDER_CONFIG_DIR: `${import.meta.filename}/below-a-file` };
    await expect(writeProfiles({ env }, { current: null, saved: {} })).rejects.toMatchObject({
      ...{ exitCode: 1, message: expect.stringContaining('could not be written (ENOTDIR)') },
      problem: { code: 'profiles_not_written', fix: expect.stringContaining('POSTRIDER_CONFIG_DIR') },
    });
  });

  it.each([
    [['emails', 'list', '--status', 'bouncd'], 'Did you mean bounced?'],
    [['keys', 'create', '--name', 'K', '--approval-mode', 'alway'], 'Did you mean always?'],
    [['emails', 'list', '--status', 'nothing-like-it'], 'Use one of: queued, '],
  ])('suggests the value that was meant: %j', async (argv, words) => {
    const { code, stderr } = await runAgainst([], argv);
    expect(code).toBe(2);
    expect(stderr).toContain(words);
    expect(stderr.includes('Did you mean')).toBe(words.startsWith('Did you mean'));
  });
});

describe('a slow server', () => {
  it('is reported at a terminal, and the notice disappears with the response', async () => {
    const told = Promise.withResolvers<void>();
    const listener: RequestListener = async (_, response) => {
      await told.promise;
      response.setHeader('content-type', 'application/json').setHeader('connection', 'close').end('{"id":"r1"}');
    };
    const baseUrl = `http://127.0.0.1:${await portOf(createServer(listener))}`;
    const { code, stderr } = await runInProcess(['requests', 'get', 'r1'], {
      columns: 80,
      env: { POSTRIDER_API_KEY: KEY, POSTRIDER_BASE_URL: baseUrl, NO_COLOR: '1' },
      onStderr: (text) => {
        if (text.startsWith('Still waiting for the server')) told.resolve();
      },
    });
    expect(code).toBe(0);
    expect(stderr).toBe('Still waiting for the server …\r\u001b[K');
  });
});

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runLocalDns } from '../../tools/local-dns/run-local-dns.ts';
import { serveZones, type ZoneServer } from '../../tools/local-dns/serve-zones.ts';
import { readZoneRecords } from '../../tools/local-dns/zone-records.ts';
import { runInProcess } from '../cli/run-in-process.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

describe('the local DNS server', () => {
  let directory: string;
  let zoneFile: string;
  let dns: ZoneServer;
  let server: TestApp;
  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'postrider-zone-'));
    zoneFile = path.join(directory, 'mail.example.com.zone');
    await writeFile(zoneFile, '');
    dns = await serveZones([zoneFile], 0);
    server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' }, dnsServers: [dns.address] });
  });
  afterAll(async () => {
    await server.close();
    await dns.close();
    await rm(directory, { recursive: true });
  });

  const cli = (...argv: readonly string[]) => {
    const env = { POSTRIDER_API_KEY: server.key, POSTRIDER_BASE_URL: server.baseUrl };
    return runInProcess(argv, { env });
  };

  it('takes a domain from its zone file to a send, as docs/real-mail.md says', async () => {
    expect((await cli('domains', 'add', 'mail.example.com')).code).toBe(0);
    const early = JSON.parse((await cli('domains', 'verify', 'mail.example.com')).stdout);
    expect(early.status).toBe('pending');
    await writeFile(zoneFile, (await cli('domains', 'records', 'mail.example.com', '--zone')).stdout);
    const verified = await cli('domains', 'verify', 'mail.example.com', '--watch');
    expect(verified.code).toBe(0);
    expect(JSON.parse(verified.stdout).status).toBe('verified');
    const sent = [
      '--from',
      'ada@mail.example.com',
      '--to',
      'delivered@sandbox.test',
      '--subject',
      'Hi',
      '--text',
      'Hi',
    ];
    expect((await cli('send', ...sent)).code).toBe(0);
  });

  const runCommand = async (...argv: readonly string[]) => {
    const written = { stdout: '', stderr: '' };
    const sink = (name: keyof typeof written) => ({ write: (text: string) => (written[name] += text) });
    const code = await runLocalDns(argv, { stdout: sink('stdout'), stderr: sink('stderr') });
    return { code, ...written };
  };

  it.each(['--help', '-h'])('explains itself with %s', async (flag) => {
    expect(await runCommand(flag)).toEqual({ code: 0, stdout: expect.stringMatching(/^Usage: .*--port/), stderr: '' });
  });

  it.each([[[]], [['--nonsense']], [['a.zone', '--port', 'x']], [['a.zone', '--port', '70000']]])(
    'rejects the arguments %j with a message',
    async (argv) => {
      const { code, stdout, stderr } = await runCommand(...argv);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain('Usage:');
      expect(stderr).not.toMatch(/^ +at /m);
    },
  );

  it('rejects a missing zone file by its name, and a port in use', async () => {
    const missing = await runCommand(zoneFile, path.join(directory, 'none.zone'), '--port', '0');
    expect(missing).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(/ENOENT.*none\.zone'\n$/) });
    const taken = await runCommand(zoneFile, '--port', dns.address.split(':')[1] ?? '');
    expect(taken).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(/EADDRINUSE.*\n$/) });
  });

  it('reads strings with quotes and backslashes, hosts, and nothing else', () => {
    const zone = [
      '; a comment',
      'A.example.com. 3600 IN TXT "v=DKIM1; " "p=\\"a\\\\b\\""',
      'a.example.com. 60 IN MX 10 mx.example.net.',
      'a.example.com. 60 IN SOA x y 1 2 3 4 5',
    ];
    expect(readZoneRecords(zone.join('\n'))).toEqual([
      { name: 'a.example.com', type: 'TXT', ttl: 3600, data: ['v=DKIM1; ', 'p="a\\b"'] },
      { name: 'a.example.com', type: 'MX', ttl: 60, data: { preference: 10, exchange: 'mx.example.net' } },
    ]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPreparedDatabase } from '../../packages/server/src/commands/prepared-database.ts';
import { readConfig } from '../../packages/server/src/config.ts';
import { openDatabase, toDatabaseTarget } from '../../packages/server/src/db/client.ts';
import { type PrimaryAndStandby, startPrimaryAndStandby } from '../harness/primary-and-standby.ts';
import { tagged } from '../harness/tagged.ts';
import { startFaultProxy, type TcpFaultProxy } from '../harness/tcp-fault-proxy.ts';
import { prepareTemplate } from '../harness/template-database.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

describe('a DATABASE_URL with several hosts', () => {
  let servers: PrimaryAndStandby;
  beforeAll(async () => {
    servers = await startPrimaryAndStandby();
  });
  afterAll(() => servers?.stop());

  const portOf = async (url: string) => {
    const sql = tagged(openDatabase({ target: toDatabaseTarget(url), maxConnections: 1, applicationName: 'tests' }));
    try {
      const [row] = await sql<{ port: number }[]>`SELECT current_setting('port')::int AS port`;
      return row?.port;
    } finally {
      await sql.end({ timeout: 1 });
    }
  };

  it.each(['', '?target_session_attrs=read-write', '?target_session_attrs=primary'])(
    'connects to the one that accepts writes, in any order: %s',
    { tags: ['holes.several-hosts'] },
    async (parameters) => {
      const [primary, standby] = servers.ports;
      expect(await portOf(servers.urlOf([primary, standby], parameters))).toBe(primary);
      expect(await portOf(servers.urlOf([standby, primary], parameters))).toBe(primary);
      expect(await portOf(servers.urlOf([1, standby, primary], parameters))).toBe(primary);
    },
  );

  it('says what is wrong with each when none accepts writes, also for one alone', {
    tags: ['holes.several-hosts'],
  }, async () => {
    const [, standby] = servers.ports;
    const soon = performance.now();
    await expect(portOf(servers.urlOf([standby, 1]))).rejects.toMatchObject({
      code: 'NO_PRIMARY',
      message: expect.stringMatching(/:\d+: is a standby; 127\.0\.0\.1:1: .*ECONNREFUSED/),
    });
    await expect(portOf(servers.urlOf([standby], '?target_session_attrs=read-write'))).rejects.toThrow('is a standby');
    expect(performance.now() - soon).toBeLessThan(2_000);
    const verdict = readConfig({
      DATABASE_URL: servers.urlOf([standby, 1]).replace('postrider@', 'postrider:hunter2@'),
    });
    if (!verdict.ok) throw new Error('the settings are right');
    const refusal = await openPreparedDatabase(verdict.config, { onProgress: () => undefined }).catch((error) => error);
    expect(refusal.message).toContain(`(postgres://postrider@127.0.0.1:${standby},127.0.0.1:1/mail) cannot be used`);
    expect(refusal.message).not.toContain('hunter2');
  });

  describe('while the standby becomes the primary', () => {
    let server: TestApp;
    beforeAll(async () => {
      server = await startOn(servers.urlOf([...servers.ports], '?target_session_attrs=read-write'));
    });
    afterAll(async () => {
      await server?.close();
      await server?.database.drop();
    });

    it('sends continue, with every connection on the new primary', { tags: ['holes.several-hosts'] }, async () => {
      const [primary, standby] = servers.ports;
      const { body: before } = await server.send();
      expect((await server.settled(before.id)).body.status).toBe('delivered');
      await expect.poll(() => listeners(servers, primary)).toHaveLength(1);
      await expect
        .poll(() =>
          servers.ask<{ n: number }>(standby, "SELECT count(*)::int AS n FROM messages WHERE status = 'delivered'"),
        )
        .toMatchObject([{ n: expect.any(Number) }]);

      await servers.promote();
      await servers.stopPrimary();
      const beganMs = performance.now();
      // Callers are asked to try again meanwhile; nothing is accepted that is not written.
      await expect.poll(async () => (await server.send()).status, { timeout: 10_000 }).toBe(202);
      expect(performance.now() - beganMs).toBeLessThan(10_000);
      const { body: after } = await server.send();
      expect((await server.settled(after.id)).body.status).toBe('delivered');
      expect((await server.settled(before.id)).body.status).toBe('delivered');
      await expect.poll(() => listeners(servers, standby), { timeout: 15_000 }).toHaveLength(1);
      await expect.poll(async () => (await server.call('GET', '/health/ready')).status, { timeout: 15_000 }).toBe(200);
    });
  });
});

describe('a primary that stops responding', () => {
  let servers: PrimaryAndStandby;
  let network: TcpFaultProxy;
  let server: TestApp;
  beforeAll(async () => {
    servers = await startPrimaryAndStandby();
    network = await startFaultProxy({ targetPort: servers.ports[0] });
    server = await startOn(servers.urlOf([network.port, servers.ports[1]]));
  });
  afterAll(async () => {
    await server?.close();
    await server?.database.drop();
    await network?.close();
    await servers?.stop();
  });

  it('is left by all connections, also by those that only listen', { tags: ['holes.several-hosts'] }, async () => {
    const { body: before } = await server.send();
    expect((await server.settled(before.id)).body.status).toBe('delivered');
    await servers.promote();
    // Nothing is closed: as a machine that lost its power, or its network.
    network.faults.halfOpen = true;
    await expect.poll(async () => (await server.send()).status, { timeout: 15_000 }).toBe(202);
    const { body: after } = await server.send();
    expect((await server.settled(after.id)).body.status).toBe('delivered');
    await expect.poll(() => listeners(servers, servers.ports[1]), { timeout: 15_000 }).toHaveLength(1);
  });
});

const listeners = (servers: PrimaryAndStandby, port: number) =>
  servers.ask(port, "SELECT pid FROM pg_stat_activity WHERE query ILIKE 'LISTEN%' AND datname = current_database()");

/** A server in this process, on a database that is made for it. */
async function startOn(url: string): Promise<TestApp> {
  const target = toDatabaseTarget(url);
  await prepareTemplate(target);
  const sql = tagged(openDatabase({ target, maxConnections: 2, applicationName: 'tests', deadlineMs: 2_000 }));
  const bound = () => {
    throw new Error('not needed here');
  };
  return await startTestApp({ database: { target, sql, bound, drop: () => sql.end({ timeout: 1 }) } });
}

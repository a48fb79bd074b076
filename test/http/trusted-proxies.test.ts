import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../packages/server/src/clock.ts';
import { openLogPool } from '../../packages/server/src/db/database-pools.ts';
import { createHttpApp } from '../../packages/server/src/http/create-http-app.ts';
import { createRequestLog } from '../../packages/server/src/http/request-log.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { useCleanUps } from '../harness/clean-ups.ts';

describe('the address of a caller', () => {
  const cleanUp = useCleanUps();

  /** What the server takes a caller's address for, who comes from `from` and says that it forwards for `forwarded`. */
  async function addressOf(trustedProxies: readonly string[], from: string, forwarded?: string): Promise<string> {
    const logger = pino({ level: 'silent' });
    // Nothing is logged here, since no one shows a key: the pool never connects.
    const logSql = openLogPool({ kind: 'url', url: 'postgres://nobody@127.0.0.1:1/none' });
    const requestLog = createRequestLog(logSql, systemClock, createIdGenerator(), () => undefined);
    const app = createHttpApp({
      baseUrl: 'http://mail.example',
      trustedProxies,
      logger,
      requestLog,
      identify: () => Promise.resolve(null),
    });
    app.get('/address', async (request) => request.ip);
    cleanUp(async () => {
      await app.close();
      await requestLog.close();
      await logSql.end();
    });
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
    return (await app.inject({ url: '/address', remoteAddress: from, headers })).body;
  }

  it('is that of the connection when no proxy is trusted, whatever the caller says', {
    tags: ['contract-settings.trusted-proxies'],
  }, async () => {
    expect(await addressOf([], '203.0.113.9')).toBe('203.0.113.9');
    expect(await addressOf([], '203.0.113.9', '198.51.100.1')).toBe('203.0.113.9');
    expect(await addressOf([], '127.0.0.1', '198.51.100.1')).toBe('127.0.0.1');
  });

  it('is what a trusted proxy says, and in a chain the last address that is not a trusted proxy', {
    tags: ['contract-settings.trusted-proxies'],
  }, async () => {
    const trusted = ['10.0.0.1', '10.1.0.0/16', '2001:db8::/32'];
    expect(await addressOf(trusted, '10.0.0.1', '198.51.100.1')).toBe('198.51.100.1');
    expect(await addressOf(trusted, '10.1.200.3', '198.51.100.1')).toBe('198.51.100.1');
    expect(await addressOf(trusted, '2001:db8::7', '198.51.100.1')).toBe('198.51.100.1');
    expect(await addressOf(trusted, '10.0.0.1', '192.0.2.66, 198.51.100.1, 10.1.2.3')).toBe('198.51.100.1');
    expect(await addressOf(trusted, '10.0.0.1')).toBe('10.0.0.1');
  });

  it('is not what other senders claim, even from a neighboring address', {
    tags: ['contract-settings.trusted-proxies'],
  }, async () => {
    const trusted = ['10.0.0.1', '10.1.0.0/16'];
    for (const from of ['10.0.0.2', '10.2.0.1', '127.0.0.1', '203.0.113.9']) {
      expect(await addressOf(trusted, from, '198.51.100.1'), from).toBe(from);
    }
  });
});

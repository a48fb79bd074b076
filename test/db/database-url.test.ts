import { describe, expect, it } from 'vitest';
import { toDatabaseTarget } from '../../packages/server/src/db/client.ts';
import { parseDatabaseUrl } from '../../packages/server/src/db/database-url.ts';

describe('DATABASE_URL', () => {
  it('with several hosts is parsed as libpq does', { tags: ['holes.several-hosts'] }, () => {
    const verdict = parseDatabaseUrl(
      'postgresql://ada:p%40ss:word@db1:5433,[::1]:5434,db3/mail?sslmode=require&target_session_attrs=read-write&application_name=x',
    );
    if (!verdict.ok) throw new Error(verdict.message);
    const { hosts, sessionAttributes, shown } = verdict.url;
    expect(hosts).toEqual([
      { host: 'db1', port: 5433 },
      { host: '::1', port: 5434 },
      { host: 'db3', port: null },
    ]);
    expect(sessionAttributes).toBe('read-write');
    expect(shown).toBe('postgresql://ada@db1:5433,[::1]:5434,db3/mail');
    expect(hosts.map(verdict.url.urlOf)).toEqual([
      'postgresql://ada:p%40ss:word@db1:5433/mail?sslmode=require&application_name=x',
      'postgresql://ada:p%40ss:word@[::1]:5434/mail?sslmode=require&application_name=x',
      'postgresql://ada:p%40ss:word@db3/mail?sslmode=require&application_name=x',
    ]);
  });

  it('with one host is passed to the drivers unchanged, unless a kind of server is requested', () => {
    for (const url of ['postgres://u:p@h:5432/d?sslmode=require', 'postgres:///d', 'postgres://h/d'])
      expect(toDatabaseTarget(url)).toEqual({ kind: 'url', url });
    expect(toDatabaseTarget('postgres://h/d?target_session_attrs=primary')).toMatchObject({ kind: 'cluster' });
  });

  it.each([
    ['mysql://h/d', 'is not a postgres:// URL', 'host1:5432,host2:5432'],
    ['postgres://u:hunter2@h:x,h2/d', 'not host or host:port: h:x', 'host1:5432'],
    ['postgres://u:hunter2@h:70000,h2/d', 'not host or host:port: h:70000', 'host1:5432'],
    ['postgres://u:hunter2@h1,,h2/d', 'empty name', 'host1:5432'],
    ['postgres://u:hunter2@h1,h2/d?target_session_attrs=standby', 'target_session_attrs=standby', '=read-write'],
    ['postgres://h1,h2/d?target_session_attrs=any', 'needs a server that accepts writes', 'leave it out'],
  ])('is rejected with a correction: %s', (url, message, fix) => {
    const verdict = parseDatabaseUrl(url);
    expect(verdict).toMatchObject({
      ok: false,
      message: expect.stringContaining(message),
      fix: expect.stringContaining(fix),
    });
    expect(JSON.stringify(verdict)).not.toContain('hunter2');
  });
});

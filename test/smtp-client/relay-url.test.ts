import { describe, expect, it } from 'vitest';
import { isLoopbackHost, parseRelayUrl, type RelayConfig } from '../../packages/server/src/smtp-client/relay-url.ts';

function relayOf(url: string): RelayConfig {
  const result = parseRelayUrl(url);
  if (!result.ok) throw new Error(result.problems.join(' '));
  return result.relay;
}

function problemsOf(url: string): readonly string[] {
  const result = parseRelayUrl(url);
  return result.ok ? [] : result.problems;
}

describe('parseRelayUrl', () => {
  it('reads every part', () => {
    expect(relayOf('smtp://ann:secret@mail.example.com:2525?tls=starttls')).toEqual({
      host: 'mail.example.com',
      port: 2525,
      tls: 'starttls',
      credentials: { user: 'ann', pass: 'secret' },
    });
  });

  it('uses port 587 by default, and 465 with implicit TLS', () => {
    expect(relayOf('smtp://mail.example.com').port).toBe(587);
    expect(relayOf('smtp://mail.example.com?tls=starttls').port).toBe(587);
    expect(relayOf('smtp://mail.example.com/?tls=none').port).toBe(587);
    expect(relayOf('smtp://mail.example.com?tls=implicit').port).toBe(465);
    expect(relayOf('smtp://mail.example.com:25?tls=implicit').port).toBe(25);
  });

  it('is opportunistic and without login by default', () => {
    expect(relayOf('smtp://mail.example.com:25')).toMatchObject({ tls: 'opportunistic', credentials: null });
  });

  it('decodes user name and password separately', () => {
    expect(relayOf('smtp://ann%40example.com:p%2Fa%3As%40s%25%20%C3%A9@h.test').credentials).toEqual({
      user: 'ann@example.com',
      pass: 'p/a:s@s% é',
    });
    expect(relayOf('smtp://ann:a:b+c@h.test').credentials).toEqual({ user: 'ann', pass: 'a:b+c' });
  });

  it('accepts IPv6, IPv4 and names in any script or case', () => {
    expect(relayOf('smtp://[::1]:2525')).toMatchObject({ host: '::1', port: 2525 });
    expect(relayOf('smtp://[2001:db8::25]').host).toBe('2001:db8::25');
    expect(relayOf('smtp://192.0.2.25').host).toBe('192.0.2.25');
    expect(relayOf('smtp://MAIL.Example.com').host).toBe('mail.example.com');
    expect(relayOf('smtp://bücher.example').host).toBe('xn--bcher-kva.example');
  });

  it.each([
    ['', 'must look like'],
    ['mail.example.com', 'must look like'],
    ['http://mail.example.com', 'must look like'],
    ['smtp:mail.example.com', 'must look like'],
    ['smtps://mail.example.com', 'tls=implicit'],
    ['smtp://', 'no host'],
    ['smtp://:25', 'must look like'],
    ['smtp://mail.example.com:0', 'port'],
    ['smtp://mail.example.com:99999', 'must look like'],
    ['smtp://mail.example.com:x', 'must look like'],
    ['smtp://mail_!.example.com', 'must be a host name'],
    ['smtp://mail.example.com/inbox', 'Only ?tls='],
    ['smtp://mail.example.com#x', 'Only ?tls='],
    ['smtp://mail.example.com?tls=maybe', 'none, starttls or implicit'],
    ['smtp://mail.example.com?tls=', 'none, starttls or implicit'],
    ['smtp://mail.example.com?tls=none&tls=none', 'only once'],
    ['smtp://mail.example.com?pool=5', 'Unknown setting "pool"'],
    ['smtp://ann@mail.example.com', 'but no password'],
    ['smtp://:secret@mail.example.com', 'but no user name'],
    ['smtp://ann:%zz@mail.example.com', 'percent-encoded'],
    ['smtp://ann:a%00b@mail.example.com', 'control character'],
    ['smtp://ann:a%0D%0Ab@mail.example.com', 'control character'],
    ['smtp://ann:a\nb@mail.example.com', 'white space'],
  ])('says what is wrong with %j', (url, words) => {
    expect(problemsOf(url).join(' ')).toContain(words);
  });

  it('names every problem together', () => {
    expect(problemsOf('smtp://ann@mail.example.com:0?tls=x&a=1&b=2')).toHaveLength(5);
  });

  it.each(['/', '?', '#', '@', '%', ':', '\\', ' ', '[', '%zz', '?tls=', '/?'])(
    'never repeats a password, also one with an unescaped %j in it',
    (special) => {
      for (const rest of ['', ':0', ':99999', '?tls=x', '?x=1', '/path', '#hash']) {
        const words = problemsOf(`smtp://ann:hunter${special}twelve@mail.example.com${rest}`).join(' ');
        expect(words).not.toMatch(/hunter|twelve/);
      }
    },
  );
});

describe('isLoopbackHost', () => {
  it('recognizes all names of this machine, and nothing else', () => {
    for (const host of ['localhost', 'LOCALHOST', '127.0.0.1', '127.9.9.9', '::1']) {
      expect(isLoopbackHost(host), host).toBe(true);
    }
    for (const host of [
      '128.0.0.1',
      '127.0.0.1.example.com',
      '127.example.com',
      'localhost.example.com',
      '0.0.0.0',
      '::',
    ]) {
      expect(isLoopbackHost(host), host).toBe(false);
    }
  });
});

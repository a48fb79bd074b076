import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostfix, untilListening } from '../../test/harness/postfix.ts';
import type { ShopKey } from '../deliver/sender-round.ts';

/** A Postfix that signs mail with OpenDKIM and relays all of it to one next host. */
export interface SigningPostfix {
  readonly port: number;
  stop(): Promise<void>;
}

export interface SigningPostfixOptions {
  readonly port: number;
  readonly milterPort: number;
  readonly nextPort: number;
  readonly connections: number;
  readonly key: ShopKey;
}

export async function startSigningPostfix(options: SigningPostfixOptions): Promise<SigningPostfix> {
  const signer = await startOpenDkim(options);
  const postfix = await startPostfix({ port: options.port, main: parametersOf(options) });
  return {
    port: options.port,
    async stop() {
      await postfix.stop();
      await signer.stop();
    },
  };
}

/** Relaxed for header and body, as the product signs. */
async function startOpenDkim({ milterPort, key }: SigningPostfixOptions) {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-opendkim-'));
  const keyFile = join(folder, 'dkim.pem');
  await writeFile(keyFile, key.privateKeyPem, { mode: 0o600 });
  const file = join(folder, 'opendkim.conf');
  const lines = [
    ...[`Domain ${key.domain}`, `Selector ${key.selector}`, `KeyFile ${keyFile}`, 'Mode s', 'Syslog no'],
    ...['Canonicalization relaxed/relaxed', 'SignatureAlgorithm rsa-sha256', 'InternalHosts 127.0.0.1'],
    ...[`Socket inet:${milterPort}@127.0.0.1`, 'UserID root', 'RequireSafeKeys no'],
  ];
  await writeFile(file, `${lines.join('\n')}\n`);
  const signer = spawn('/usr/sbin/opendkim', ['-f', '-x', file], { stdio: ['ignore', 'ignore', 'inherit'] });
  await untilListening(milterPort);
  return {
    async stop() {
      signer.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Removes limits that only slow down a fast next host. */
function parametersOf({ milterPort, nextPort, connections }: SigningPostfixOptions): Readonly<Record<string, string>> {
  return {
    myhostname: 'postfix.bench.test',
    mynetworks: '127.0.0.0/8',
    smtpd_relay_restrictions: 'permit_mynetworks, reject',
    smtpd_milters: `inet:127.0.0.1:${milterPort}`,
    milter_default_action: 'tempfail',
    relayhost: `[127.0.0.1]:${nextPort}`,
    smtp_tls_security_level: 'none',
    smtp_destination_concurrency_limit: String(connections),
    initial_destination_concurrency: String(connections),
    smtp_connection_cache_destinations: `[127.0.0.1]:${nextPort}`,
    in_flow_delay: '0',
    smtpd_client_connection_count_limit: '0',
    default_process_limit: '100',
  };
}

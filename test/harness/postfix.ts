import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

/** A separate Postfix instance, beside any that the machine runs. */
export interface Postfix {
  readonly folder: string;
  stop(): Promise<void>;
}

type Parameters = Readonly<Record<string, string>>;

export interface PostfixOptions {
  readonly port: number;
  /** Additional parameters of main.cf; a function receives the instance's folder. */
  readonly main: Parameters | ((folder: string) => Promise<Parameters>);
}

const run = promisify(execFile);
/** Often not on a user's PATH. */
const POSTFIX = '/usr/sbin/postfix';
const START_MS = 15_000;

/** Starts it on loopback. Postfix requires root. */
export async function startPostfix({ port, main }: PostfixOptions): Promise<Postfix> {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-postfix-'));
  await chmod(folder, 0o755);
  const config = join(folder, 'etc');
  for (const name of ['etc', 'queue', 'data']) await mkdir(join(folder, name));
  await run('chown', ['postfix', join(folder, 'data')]);
  const parameters = { ...commonParameters(folder), ...(typeof main === 'function' ? await main(folder) : main) };
  const lines = Object.entries(parameters).map(([name, value]) => `${name} = ${value}\n`);
  await writeFile(join(config, 'main.cf'), lines.join(''));
  await writeFile(join(config, 'master.cf'), MASTER.replace('PORT', `127.0.0.1:${port}`));
  const postfix = (verb: string) => run(POSTFIX, ['-c', config, verb]);
  await postfix('start');
  await untilListening(port);
  return {
    folder,
    async stop() {
      await postfix('stop');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function commonParameters(folder: string): Parameters {
  return {
    compatibility_level: '3.6',
    queue_directory: join(folder, 'queue'),
    data_directory: join(folder, 'data'),
    maillog_file_prefixes: folder,
    maillog_file: join(folder, 'mail.log'),
    mydestination: '',
    local_recipient_maps: '',
    alias_maps: '',
    inet_interfaces: '127.0.0.1',
    inet_protocols: 'ipv4',
    smtp_dns_support_level: 'disabled',
  };
}

/** The services of Debian's master.cf that are used, without a chroot. */
const MASTER = `PORT inet n - n - - smtpd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
proxywrite unix - - n - 1 proxymap
smtp unix - - n - - smtp
relay unix - - n - - smtp
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
`;

/** Waits until a server on loopback accepts connections. */
export async function untilListening(port: number): Promise<void> {
  const endsAtMs = performance.now() + START_MS;
  while (!(await responses(port))) {
    if (performance.now() > endsAtMs) throw new Error(`nothing listens on port ${port}`);
    await pause(50);
  }
}

function responses(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

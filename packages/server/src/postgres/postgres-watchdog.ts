import { type ChildProcess, spawn } from 'node:child_process';
import { PROGRAM_ENVIRONMENT } from './run-program.ts';

/** A process that outlives this one and then stops what it guards. */
export interface PostgresWatchdog {
  /** A program that creates the cluster is running. */
  guardInitdb(pid: number): void;
  /** A server is starting or running. postmaster.pid contains its process id. */
  guardServer(): void;
  guardNothing(): void;
  /** Sets the processes that use the server. It is stopped only when they have ended, or after 15 s. */
  waitFor(pids: readonly number[]): void;
  /** Ends it without sending any signal. */
  dismiss(): void;
}

/**
 * Reads commands from a pipe that ends with this process, even by SIGKILL; the last command then applies. It waits for the other processes of the
 * server, which finish their work, and then stops a server as a shutdown does:
 * fast, immediate after 10 s, SIGKILL after 5 s more. Before each signal it checks that postmaster.pid still names the process, in case a
 * new owner has started. With initdb, only the first process is signaled, so that its servers leave no shared memory behind.
 */
const SCRIPT = `
trap '' HUP INT TERM QUIT PIPE
order=nothing
clients=
while IFS= read -r line; do
  case $line in
    clients*) clients=\${line#clients} ;;
    *) order=$line ;;
  esac
done
pid_now() { pid=; { read -r pid < "$1"; } 2>/dev/null; [ -n "$pid" ] && kill -0 "$pid" 2>/dev/null; }
stop_within() {
  kill -s "$1" "$target" 2>/dev/null
  rounds=$2
  while [ "$rounds" -gt 0 ]; do
    pid_now "$file" && [ "$pid" = "$target" ] || exit 0
    sleep 0.1
    rounds=$((rounds - 1))
  done
}
rounds=150
while [ "$rounds" -gt 0 ]; do
  running=
  for client in $clients; do kill -0 "$client" 2>/dev/null && running=yes; done
  [ -n "$running" ] || break
  sleep 0.1
  rounds=$((rounds - 1))
done
file=$1
case $order in
  'initdb '*) kill -s TERM "\${order#initdb }" 2>/dev/null ;;
  server)
    pid_now "$file" || { sleep 1; pid_now "$file" || exit 0; }
    target=$pid
    stop_within INT 100
    stop_within QUIT 50
    stop_within KILL 1
    ;;
esac
`;

/** Starts the watchdog for the cluster with this postmaster.pid file. It is restarted if it is killed. */
export function startPostgresWatchdog(postmasterFile: string): PostgresWatchdog {
  let order = 'nothing';
  let clients = 'clients';
  let dismissed = false;
  let child = launch();

  function launch(): ChildProcess {
    // A separate session: signals from the terminal to this process's group must not reach it.
    const started = spawn('/bin/sh', ['-c', SCRIPT, 'postrider-watchdog', postmasterFile], {
      cwd: '/',
      env: PROGRAM_ENVIRONMENT,
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    started.stdin?.on('error', () => {});
    // Only restarted after a signal: a shell that cannot run would exit again at once.
    started.once('exit', (_code, signal) => {
      if (signal !== null && !dismissed) child = launch();
    });
    started.once('error', () => {});
    started.unref();
    started.stdin?.write(`${clients}\n${order}\n`);
    return started;
  }

  function give(next: string): void {
    order = next;
    child.stdin?.write(`${order}\n`);
  }

  return {
    guardInitdb: (pid) => give(`initdb ${pid}`),
    guardServer: () => give('server'),
    guardNothing: () => give('nothing'),
    waitFor(pids) {
      clients = ['clients', ...pids].join(' ');
      child.stdin?.write(`${clients}\n`);
    },
    dismiss() {
      dismissed = true;
      child.stdin?.end('nothing\n');
    },
  };
}

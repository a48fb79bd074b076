import { type ChildProcess, spawn } from 'node:child_process';
import { PROGRAM_ENVIRONMENT } from './run-program.ts';

/** A process that outlives this one and then stops what it was told to guard. */
export interface PostgresWatchdog {
  /** A program that makes the cluster runs. */
  guardInitdb(pid: number): void;
  /** A server is about to be started or runs. Which process it is, postmaster.pid says. */
  guardServer(): void;
  guardNothing(): void;
  /** Lets it go without any signal. */
  dismiss(): void;
}

/**
 * It reads its orders from a pipe of which this process alone has the other end, so the pipe ends when this process
 * does, even by SIGKILL; the last order then holds. Stopping a server takes the same steps as in orderly times: a fast
 * shutdown, after 10 s an immediate one, after 5 s more the certain end. Before each signal it looks whether
 * postmaster.pid still names the process: a new owner's server, or a stranger under the same number, is left alone.
 * Of initdb and the servers it runs only the first is told: the others then end in good order, and leave no shared
 * memory behind that no later start would know of.
 */
const SCRIPT = `
trap '' HUP INT TERM QUIT PIPE
order=nothing
while IFS= read -r line; do order=$line; done
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

/** Starts the watchdog for the cluster whose postmaster.pid is named. It is started again should it be killed. */
export function startPostgresWatchdog(postmasterFile: string): PostgresWatchdog {
  let order = 'nothing';
  let dismissed = false;
  let child = launch();

  function launch(): ChildProcess {
    // A session of its own: what the terminal sends to this process's group must not reach it.
    const started = spawn('/bin/sh', ['-c', SCRIPT, 'postrider-watchdog', postmasterFile], {
      cwd: '/',
      env: PROGRAM_ENVIRONMENT,
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    started.stdin?.on('error', () => {});
    // Only a signal's victim is replaced: a shell that cannot run would end again at once.
    started.once('exit', (_code, signal) => {
      if (signal !== null && !dismissed) child = launch();
    });
    started.once('error', () => {});
    started.unref();
    started.stdin?.write(`${order}\n`);
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
    dismiss() {
      dismissed = true;
      child.stdin?.end('nothing\n');
    },
  };
}

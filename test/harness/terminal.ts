import { join } from 'node:path';
import { type IPty, spawn } from '@lydell/node-pty';
import { Terminal } from '@xterm/headless';
import { COMPILE_CACHE } from './compile-cache.ts';

const MAIN = join(import.meta.dirname, '../../packages/cli/src/main.ts');

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export interface TerminalOptions extends TerminalSize {
  readonly env: Readonly<Record<string, string>>;
}

type Wanted = string | RegExp | ((screen: string) => boolean);

/** The real program in a terminal emulator: its output is drawn, and typed keys are its input. */
export interface DrivenTerminal extends AsyncDisposable {
  /** The visible rows of the screen, without trailing empty ones. */
  screen(): string;
  /** Everything the program wrote, including escape sequences. */
  written(): string;
  type(keys: string): void;
  resize(size: TerminalSize): void;
  /** Resolves with the screen once it shows this. After a timeout, rejects with what it shows instead. */
  shows(what: Wanted): Promise<string>;
  /** The exit code. */
  readonly ended: Promise<number>;
}

const PATIENCE_MS = 10_000;

/** Starts the CLI in the emulator. */
export function startInTerminal(argv: readonly string[], { env, columns, rows }: TerminalOptions): DrivenTerminal {
  const emulator = new Terminal({ cols: columns, rows, allowProposedApi: true });
  const child = spawn(process.execPath, [MAIN, ...argv], {
    ...{ name: 'xterm-256color', cols: columns, rows, cwd: import.meta.dirname },
    env: { ...COMPILE_CACHE, TERM: 'xterm-256color', LANG: 'C.UTF-8', PATH: process.env['PATH'] ?? '', ...env },
  });
  let written = '';
  const listeners = new Set<() => void>();
  child.onData((data) => {
    written += data;
    emulator.write(data, () => {
      for (const listener of listeners) listener();
    });
  });
  // The emulator's responses to terminal queries.
  emulator.onData((data) => child.write(data));
  const ended = new Promise<number>((resolve) => child.onExit(({ exitCode }) => resolve(exitCode)));
  return {
    screen: () => screenOf(emulator),
    written: () => written,
    type: (keys) => child.write(keys),
    resize(size) {
      emulator.resize(size.columns, size.rows);
      child.resize(size.columns, size.rows);
    },
    shows: (what) => waitFor(emulator, listeners, what),
    ended,
    async [Symbol.asyncDispose]() {
      await end(child, ended);
      emulator.dispose();
    },
  };
}

async function waitFor(emulator: Terminal, listeners: Set<() => void>, what: Wanted): Promise<string> {
  const isThere = (screen: string) => {
    if (typeof what === 'string') return screen.includes(what);
    return typeof what === 'function' ? what(screen) : what.test(screen);
  };
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const look = () => {
    const screen = screenOf(emulator);
    if (isThere(screen)) resolve(screen);
  };
  const timer = setTimeout(
    () => reject(new Error(`the screen never showed ${what}, but:\n${screenOf(emulator)}`)),
    PATIENCE_MS,
  );
  listeners.add(look);
  look();
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    listeners.delete(look);
  }
}

function screenOf({ buffer, rows }: Terminal): string {
  const lines = Array.from({ length: rows }, (_, row) =>
    (buffer.active.getLine(buffer.active.viewportY + row)?.translateToString(true) ?? '').trimEnd(),
  );
  return lines.join('\n').trimEnd();
}

async function end(child: IPty, ended: Promise<number>): Promise<void> {
  try {
    child.kill('SIGKILL');
  } catch {
    // It has already exited.
  }
  await ended;
}

import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import type { Script } from '../../tools/agents/scripted/script.ts';
import { ROOT } from '../../tools/run-program.ts';

/** What a framework's process needs to reach Postrider. */
export interface Access {
  readonly baseUrl: string;
  readonly key: string;
}

export interface Ended {
  readonly exitCode: number | null;
  /** The model's last text; null if the run waits. */
  readonly text: string | null;
  readonly stderr: string;
}

/** Runs a script of tools/agents in a process of its own, as far as it goes. */
export async function runScript(framework: string, script: Script, { baseUrl, key }: Access): Promise<Ended> {
  const child = spawn(process.execPath, [`tools/agents/scripted/${framework}.ts`, JSON.stringify(script)], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], POSTRIDER_API_KEY: key, POSTRIDER_BASE_URL: baseUrl },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [exitCode, stdout, stderr] = await Promise.all([exit, text(child.stdout), text(child.stderr)]);
  return { exitCode, stderr, text: stdout === '' ? null : JSON.parse(stdout).text };
}

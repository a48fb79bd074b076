import { spawnSync } from 'node:child_process';

/**
 * `pnpm check`: everything that must hold of the tree beside its tests. All checks run, so that one look shows all that is wrong.
 */
const PACKAGES = ['core', 'sdk', 'mcp', 'cli', 'server'];

const CHECKS: readonly (readonly [name: string, command: string, args: readonly string[]])[] = [
  ['format, lint and layers', 'biome', ['check', '.', '--error-on-warnings']],
  ['types', 'tsc', ['-b']],
  ['generated files', 'node', ['tools/generate/main.ts', '--check']],
  ['dead code', 'knip', []],
  ...PACKAGES.map((name) => [`package ${name}`, 'publint', [`packages/${name}`, '--strict', '--pack', 'false']] as const),
];

let failures = 0;
for (const [name, command, args] of CHECKS) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } });
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name}`);
  if (status === 0) continue;
  failures += 1;
  console.log([error?.message, stdout, stderr].filter(Boolean).join('\n'));
}
process.exitCode = failures === 0 ? 0 : 1;

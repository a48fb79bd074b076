import { runProgram } from './run-program.ts';

/** `pnpm check`: every check except the tests. All of them run, so that one run shows all problems; a check that passes prints one line. */
const CHECKS: readonly (readonly [name: string, command: string, args: readonly string[]])[] = [
  ['format, lint and layers', 'biome', ['check', '.', '--error-on-warnings', '--max-diagnostics=100']],
  ['types', 'tsc', ['-b']],
  ['linear patterns', process.execPath, ['tools/patterns/main.ts']],
  ['generated files', process.execPath, ['tools/generate/main.ts', '--check']],
  ['OpenAPI document', 'redocly', ['lint', 'openapi.yaml']],
  ['bills of materials', process.execPath, ['tools/sbom/main.ts', '--check']],
  ['dead code', 'knip', ['--treat-config-hints-as-errors']],
  ['packages as published', process.execPath, ['tools/packages/main.ts']],
];

let failures = 0;
for (const [name, command, args] of CHECKS) {
  const startedMs = performance.now();
  const { ok, output } = runProgram(command, args);
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`);
  if (ok) continue;
  failures += 1;
  console.log(output.trim());
}
process.exitCode = failures === 0 ? 0 : 1;

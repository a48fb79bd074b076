import { expect, it } from 'vitest';
import { runProgram } from '../../tools/run-program.ts';

it('the examples compile against the types of the frameworks', { timeout: 120_000 }, () => {
  const { ok, output } = runProgram('tsc', ['-p', 'tools/agents']);
  expect(ok, output).toBe(true);
});

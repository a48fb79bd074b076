import type { FieldProblem } from '@postrider/core';
import type { TemplateFault } from './template-job.ts';

/** Converts faults to field problems. `path` is the part's name, after `prefix` if the caller passed a whole template. */
export function toFieldProblems(faults: readonly TemplateFault[], code: string, prefix = ''): readonly FieldProblem[] {
  return faults.map((fault) => ({ path: `${prefix}${fault.part}`, code, message: describeFault(fault) }));
}

function describeFault({ line, column, message }: TemplateFault): string {
  return line === null ? message : `line ${line}, column ${column}: ${message}`;
}

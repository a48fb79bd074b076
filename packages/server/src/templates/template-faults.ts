import type { FieldProblem } from '@postrider/core';
import type { TemplateFault } from './template-job.ts';

/** Faults as fields of a problem; `path` is the part's name, behind `prefix` where the caller gave the template and not the part. */
export function toFieldProblems(faults: readonly TemplateFault[], code: string, prefix = ''): readonly FieldProblem[] {
  return faults.map((fault) => ({ path: `${prefix}${fault.part}`, code, message: describeFault(fault) }));
}

function describeFault({ line, column, message }: TemplateFault): string {
  return line === null ? message : `line ${line}, column ${column}: ${message}`;
}

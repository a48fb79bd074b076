import type { ErrorCode, FieldProblem } from '@postrider/core';
import type { VariablesJson } from '../../db/schema/templates.ts';
import { ProblemError } from '../../problem.ts';
import { toFieldProblems } from '../../templates/template-faults.ts';
import type { TemplateFault, TemplateSource } from '../../templates/template-job.ts';
import type { KeyedContext } from '../context.ts';

/**
 * The variables of the Liquid parts that are to be stored, by part.
 * @throws ProblemError `validation_failed` with the line, if a part cannot be parsed.
 */
export async function inspectParts(
  { services: { sending }, caller }: KeyedContext,
  source: Partial<TemplateSource>,
): Promise<VariablesJson> {
  const inspection = await sending.content.templates.renderer.inspect(caller.accountId, source);
  if (inspection.ok) return inspection.variables;
  if ('busy' in inspection) throw rendererBusy();
  throw faultyTemplate('validation_failed', inspection.faults, 'invalid_liquid');
}

/** A problem that lists every fault and has the first one in its detail. */
export function faultyTemplate(code: ErrorCode, faults: readonly TemplateFault[], fieldCode: string): ProblemError {
  return invalidFields(code, toFieldProblems(faults, fieldCode));
}

export function invalidField(path: string, code: string, message: string): ProblemError {
  return invalidFields('validation_failed', [{ path, code, message }]);
}

function invalidFields(code: ErrorCode, errors: readonly FieldProblem[]): ProblemError {
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return new ProblemError(code, { detail: `${first?.path}: ${first?.message}${more}.`, errors });
}

export function rendererBusy(): ProblemError {
  return new ProblemError('unavailable', { detail: 'The template renderer is busy.' });
}

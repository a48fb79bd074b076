import type { TemplateContent } from '../db/queries/templates.ts';
import type { VariablesJson } from '../db/schema/templates.ts';
import { TEMPLATE_PARTS } from './template-job.ts';

/** The parts of a version, with the variables of each. */
export interface VersionContent extends TemplateContent {
  readonly variables: VariablesJson;
}

export const NO_CONTENT: VersionContent = { subject: null, html: null, text: null, variables: {} };

/** Replaces parts. Omitted parts stay, with their variables. */
export function replaceParts(
  before: VersionContent,
  parts: Partial<TemplateContent>,
  found: VariablesJson,
): VersionContent {
  const { subject, html, text } = { ...before, ...parts };
  const variables = TEMPLATE_PARTS.flatMap((part) => {
    const own = parts[part] === undefined ? before.variables[part] : found[part];
    return own === undefined ? [] : [[part, own] as const];
  });
  return { subject, html, text, variables: Object.fromEntries(variables) };
}

/** The parts in which a version differs from another one. */
export function changedParts(before: TemplateContent, after: TemplateContent): Partial<TemplateContent> {
  const names = TEMPLATE_PARTS.filter((part) => before[part] !== after[part]);
  return Object.fromEntries(names.map((part) => [part, after[part]]));
}

import type { Template } from '@postrider/core';
import type { VariablesJson } from '../db/schema/templates.ts';
import { TEMPLATE_PARTS } from './template-job.ts';

/** Merges the variables of a template's parts into one list. A variable that one part requires is required. */
export function mergeVariables(parts: VariablesJson): Template['variables'] {
  const merged = new Map<string, boolean>();
  for (const { name, required } of TEMPLATE_PARTS.flatMap((part) => parts[part] ?? [])) {
    merged.set(name, merged.get(name) === true || required);
  }
  return [...merged].map(([name, required]) => ({ name, required }));
}

import type { Template } from '@postrider/core';

/** The variables of a template in one line; `?` behind the ones it can do without. */
export function describeVariables(variables: Template['variables']): string {
  if (variables.length === 0) return 'no variables';
  return `variables ${variables.map(({ name, required }) => (required ? name : `${name}?`)).join(', ')}`;
}

/** The bodies under headings. */
export function describeBodies({ text, html }: { readonly text: string | null; readonly html: string | null }) {
  return [...(text ? ['Text body:', text] : []), ...(html ? ['HTML body:', html] : [])];
}

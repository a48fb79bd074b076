import type { Template } from '@postrider/core';
import { line, section } from './message-text.ts';

/** A template whole, with the content of one version. */
export function describeTemplate(template: Template, untrusted: (text: string) => string): string {
  const { slug, version, currentVersion, updatedAt, variables, versions } = template;
  const place = version === currentVersion ? 'current' : `the current one is ${currentVersion}`;
  return [
    `Template ${slug} (${template.id}), version ${version} (${place}), changed ${updatedAt}`,
    untrusted(
      [
        ...line('Name', template.name),
        ...line('Subject', template.subject),
        describeVariables(variables),
        ...describeBodies(template),
        ...section(
          'Versions',
          versions.map((made) => `${made.version} ${made.createdAt}${made.note === null ? '' : `: ${made.note}`}`),
        ),
      ].join('\n'),
    ),
  ].join('\n');
}

/** The variables of a template in one line; `?` behind the ones it can do without. */
export function describeVariables(variables: Template['variables']): string {
  if (variables.length === 0) return 'no variables';
  return `variables ${variables.map(({ name, required }) => (required ? name : `${name}?`)).join(', ')}`;
}

/** The bodies under headings. */
export function describeBodies({ text, html }: { readonly text: string | null; readonly html: string | null }) {
  return [...(text ? ['Text body:', text] : []), ...(html ? ['HTML body:', html] : [])];
}

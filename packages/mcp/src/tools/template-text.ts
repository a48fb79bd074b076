import type { Template } from '@postrider/core';
import { line, section } from './message-text.ts';

/** A template with the content of one version. */
export function describeTemplate(template: Template, untrusted: (text: string) => string): string {
  const { slug, version, updatedAt, variables, versions } = template;
  return [
    `Template ${slug} (${template.id}), version ${version} (${placeOf(template)}), changed ${updatedAt}`,
    untrusted(
      [
        ...line('Name', template.name),
        ...line('Subject', template.subject),
        describeVariables(variables),
        ...describeBodies(template),
        ...section(
          'Versions',
          versions.map(
            (made) =>
              `${made.version} ${made.createdAt}${made.status === 'draft' ? ' (draft)' : ''}${made.note === null ? '' : `: ${made.note}`}`,
          ),
        ),
      ].join('\n'),
    ),
  ].join('\n');
}

/** What an agent should do about a draft; in every result that shows one. */
export function draftNotes({ status, currentVersion }: Pick<Template, 'status' | 'currentVersion'>): readonly string[] {
  if (status !== 'draft') return [];
  const now =
    currentVersion === null
      ? 'No one can send this template until then.'
      : `Sends use version ${currentVersion} until then.`;
  return [
    `Draft, not live: an approver must publish it first. ${now} Do not store it again; tell the user. discard_template_draft deletes it.`,
  ];
}

function placeOf({ version, status, currentVersion }: Template): string {
  if (version === currentVersion) return 'current';
  const current = currentVersion === null ? 'there is no published one' : `the current one is ${currentVersion}`;
  return status === 'draft' ? `draft; ${current}` : current;
}

/** The variables of a template on one line; `?` marks optional ones. */
export function describeVariables(variables: Template['variables']): string {
  if (variables.length === 0) return 'no variables';
  return `variables ${variables.map(({ name, required }) => (required ? name : `${name}?`)).join(', ')}`;
}

/** The bodies under headings. */
export function describeBodies({ text, html }: { readonly text: string | null; readonly html: string | null }) {
  return [...(text ? ['Text body:', text] : []), ...(html ? ['HTML body:', html] : [])];
}

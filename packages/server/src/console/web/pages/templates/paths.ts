export const TEMPLATES_PATH = '/console/templates';

export function templatePath({ id }: { readonly id: string }): string {
  return `${TEMPLATES_PATH}/${id}`;
}

export function versionPath(template: { readonly id: string }, version: number): string {
  return `${templatePath(template)}/versions/${version}`;
}

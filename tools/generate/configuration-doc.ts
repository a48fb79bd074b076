import { MARKDOWN_NOTICE, renderTable } from './markdown.ts';

/** One setting as the server declares it. */
export interface Setting {
  readonly name: string;
  /** Null or empty if the setting is off by default, or if the server chooses the value when it starts. */
  readonly default: string | number | boolean | null;
  readonly description: string;
}

/** docs/configuration.md: every setting with its default. */
export function renderConfigurationDoc(settings: readonly Setting[]): string {
  const rows = settings.map((setting) => [`\`${setting.name}\``, renderDefault(setting), setting.description]);
  return `${MARKDOWN_NOTICE}

# Configuration

Every setting is an environment variable and has a default. If a value is invalid, the server names it and does not start.

${renderTable(['setting', 'default', 'meaning'], rows)}
`;
}

/** Renders a value as code, and a default that is described in words as text. */
function renderDefault(setting: Setting): string {
  const value = String(setting.default ?? '');
  return value === '' || value.includes(' ') ? value : `\`${value}\``;
}

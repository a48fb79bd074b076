/** Markup that is safe to insert into a page. */
export interface Html {
  readonly markup: string;
}

/** Builds markup from a template. Every value is escaped, except markup from this function and lists of it. */
export function html(
  parts: TemplateStringsArray,
  ...values: readonly (string | number | Html | readonly Html[])[]
): Html {
  return { markup: parts.reduce((text, part, index) => `${text}${toMarkup(values[index - 1] ?? '')}${part}`) };
}

function toMarkup(value: string | number | Html | readonly Html[]): string {
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value));
  if ('markup' in value) return value.markup;
  return value.map(({ markup }) => markup).join('');
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

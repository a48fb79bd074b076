/** Markup that is safe to insert into a page. */
export interface Html {
  readonly markup: string;
}

/** What a template can contain. Null, undefined and false add nothing, so that a part can depend on a condition. */
export type HtmlValue = string | number | Html | null | undefined | false | readonly (string | Html)[];

/** Builds markup from a template. Every value is escaped, except markup from this function and lists of it. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return { markup: parts.reduce((text, part, index) => `${text}${toMarkup(values[index - 1])}${part}`) };
}

/**
 * Attributes from values: `true` writes the name alone; null, undefined and false omit the attribute. Names are literals of our own
 * sources.
 */
export function attributes(given: Readonly<Record<string, string | number | boolean | null | undefined>>): Html {
  const written = Object.entries(given).map(([name, value]) => {
    if (value === null || value === undefined || value === false) return '';
    return value === true ? ` ${name}` : ` ${name}="${escapeHtml(String(value))}"`;
  });
  return { markup: written.join('') };
}

function toMarkup(value: HtmlValue): string {
  if (value === null || value === undefined || value === false) return '';
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value));
  if ('markup' in value) return value.markup;
  return value.map((one) => toMarkup(one)).join('');
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

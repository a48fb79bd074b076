/** What an element means for plain text. One lookup per tag: tags are most of the input. */
export interface ElementRule {
  /** Line breaks around it: 2 for separate blocks, 0 for inline elements. */
  readonly breaks: 0 | 1 | 2;
  /**
   * `raw text` is not markup and is not shown (WHATWG HTML §13.2.6.2, including title and textarea), `dropped` is markup
   * that is not shown, `none` never has content and has no end tag.
   */
  readonly content: 'shown' | 'raw text' | 'dropped' | 'none';
  /** May be in a head. Any other start tag ends the head, so that an unclosed head hides nothing. */
  readonly isHeadContent: boolean;
}

export function ruleOf(name: string): ElementRule {
  return RULES.get(name) ?? INLINE;
}

const INLINE: ElementRule = { breaks: 0, content: 'shown', isHeadContent: false };

const RULES = new Map<string, ElementRule>([
  ...rules('blockquote dl figure h1 h2 h3 h4 h5 h6 p pre table', { breaks: 2 }),
  ...rules('address article aside body caption center dd details div dt fieldset figcaption footer form', {
    breaks: 1,
  }),
  ...rules('header legend li main nav ol option section summary tr ul', { breaks: 1 }),
  ...rules('hr', { breaks: 2, content: 'none' }),
  ...rules('area br col embed img input source track wbr', { content: 'none' }),
  ...rules('base link meta', { content: 'none', isHeadContent: true }),
  ...rules('iframe noembed noframes textarea xmp', { content: 'raw text' }),
  ...rules('script style title', { content: 'raw text', isHeadContent: true }),
  ...rules('svg', { content: 'dropped' }),
  ...rules('template', { content: 'dropped', isHeadContent: true }),
  ...rules('html noscript', { isHeadContent: true }),
]);

function rules(names: string, rule: Partial<ElementRule>): [string, ElementRule][] {
  return names.split(' ').map((name) => [name, { ...INLINE, ...rule }]);
}

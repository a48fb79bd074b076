import { type DefaultTreeAdapterTypes, html, parse } from 'parse5';

type Node = DefaultTreeAdapterTypes.Node;

/** A link as an independent parser sees it: where its `href` ends, quotes included, and how its value reads. */
export interface ParsedLink {
  readonly hrefEnd: number;
  readonly value: string;
}

/** The links of the tree that parse5 builds, in the order of the text, empty ones left out; what it had to clone counts once. */
export function parsedLinks(text: string): readonly ParsedLink[] {
  const links = new Map<number, ParsedLink>();
  const visit = (node: Node) => {
    if ('attrs' in node && (node.tagName === 'a' || node.tagName === 'area') && node.namespaceURI === html.NS.HTML) {
      const hrefEnd = node.sourceCodeLocation?.attrs?.['href']?.endOffset;
      const value = node.attrs.find(({ name }) => name === 'href')?.value;
      if (hrefEnd !== undefined && value) links.set(hrefEnd, { hrefEnd, value });
    }
    if ('content' in node) visit(node.content);
    if ('childNodes' in node) node.childNodes.forEach(visit);
  };
  // Mail programs run no scripts: `noscript` is shown.
  visit(parse(text, { sourceCodeLocationInfo: true, scriptingEnabled: false }));
  return [...links.values()].sort((a, b) => a.hrefEnd - b.hrefEnd);
}

type Child = Node | string | null;

/** An element with its content. All texts become text nodes, so markup in them stays text. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>>,
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** A text of someone else. It is isolated, so that letters that run right to left do not change the order of the text around it. */
export function foreign(text: string, className = ''): HTMLElement {
  return element('bdi', className === '' ? {} : { class: className }, text);
}

/** The same for addresses and file names: their end must stay at the end, whatever letters they begin with. */
export function foreignName(text: string, className: string): HTMLElement {
  return element('bdi', { class: className, dir: 'ltr' }, text);
}

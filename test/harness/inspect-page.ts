/** Runs in a page, so it must not use anything outside: what does not fit, and what no reader should see. */
export function inspectPage(): string[] {
  const faults: string[] = [];
  const { documentElement: root, title } = document;
  const main = document.querySelector('main');
  if (main === null) return ['no main'];
  if (root.scrollWidth > root.clientWidth)
    faults.push(`the page is ${root.scrollWidth - root.clientWidth} px too wide`);
  if (main.scrollWidth > main.clientWidth) faults.push(`main is ${main.scrollWidth - main.clientWidth} px too wide`);
  const edge = main.getBoundingClientRect().right + 1;
  for (const element of main.querySelectorAll(
    '.card, .notice, .page-header, table, .tile, .badge, .tag, h1, h2, dd, td:not(.tick)',
  )) {
    if (!element.checkVisibility() || element.closest('.unseen') !== null) continue;
    const name = `<${element.localName} class="${element.className}">`;
    const isClipped = getComputedStyle(element).overflowX !== 'visible';
    if (!isClipped && element.clientWidth > 0 && element.scrollWidth > element.clientWidth + 1)
      faults.push(`${name} is ${element.scrollWidth - element.clientWidth} px too narrow for its content`);
    if (element.closest('pre, .scroll') === null && element.getBoundingClientRect().right > edge)
      faults.push(`${name} leaves the page`);
  }
  const headings = document.querySelectorAll('h1').length;
  if (headings !== 1) faults.push(`${headings} h1`);
  if (!/^\S.* – Postrider$/s.test(title)) faults.push(`title: ${title.slice(0, 80)}`);
  // What is marked as code or was written by a caller may have any form.
  const copy = main.cloneNode(true) as Element; // A copy of an element is one.
  for (const code of copy.querySelectorAll('code, pre, textarea, select, kbd, samp, .source, details.more'))
    code.remove();
  const text = copy.textContent ?? '';
  const forbidden: readonly (readonly [string, RegExp])[] = [
    ['a time as in the API', /\d{4}-\d\d-\d\dT\d\d:\d\d/],
    ['a value that is none', /\b(?:undefined|NaN|Invalid Date)\b|\[object \w+\]|(?:^|[\s:(])null(?:$|[\s,.)])/m],
    ['a code', /\b[a-z]{2,}_[a-z]{2,}(?:_[a-z]+)*\b/],
  ];
  for (const [what, pattern] of forbidden) {
    const found = pattern.exec(text);
    if (found !== null)
      faults.push(`${what}: ${JSON.stringify(text.slice(Math.max(0, found.index - 40), found.index + 50))}`);
  }
  return faults;
}

/** Runs in a page: its text, without times, which scripts show in the reader's zone, and the controls of scripts. */
export function mainText(): string {
  const main = document.querySelector('main');
  if (main === null) return '';
  for (const element of main.querySelectorAll('time, .live, [data-action], [data-local-schedule], noscript'))
    element.remove();
  // Visible text only: with CSS, as a reader sees it.
  // biome-ignore lint/performance/useDomNodeTextContent: see above
  return main.innerText.replaceAll(/\s+/g, ' ').trim();
}

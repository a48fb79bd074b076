/**
 * Single-key shortcuts. An element with `data-key="a"` is pressed by that key. `j` and `k` move between rows (`data-row`) if the page has any, `o` opens the
 * focused row, and `x` ticks it. Keys typed into fields, and with modifiers, are left alone. While a box is open, such as the form of a rejection, no key
 * is a shortcut: what is typed for the form must not decide anything.
 */
export function startKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || isTyping(event.target)) return;
    if (isBoxOpen()) return;
    if (run(event.key)) event.preventDefault();
  });
}

function run(key: string): boolean {
  if ((key === 'j' || key === 'k') && moveRow(key === 'j' ? 1 : -1)) return true;
  const row = currentRow();
  if (key === 'o' && row !== null) return press(row.querySelector<HTMLElement>('a[href]'));
  if (key === 'x' && row !== null) return press(row.querySelector<HTMLElement>('input[type="checkbox"]'));
  const inRow = row === null ? null : find(row, key);
  return press(inRow ?? find(document, key));
}

function find(part: ParentNode, key: string): HTMLElement | null {
  const found = [...part.querySelectorAll<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)];
  return found.find((element) => element.checkVisibility()) ?? null;
}

function press(element: HTMLElement | null): boolean {
  if (element === null) return false;
  if (element.matches('input:not([type="checkbox"], [type="radio"]), textarea, select')) element.focus();
  else element.click();
  if (element.matches('summary')) focusFirstField(element.closest('details'));
  return true;
}

/** The field in which the user types next. */
function focusFirstField(box: HTMLDetailsElement | null): void {
  if (box?.open === true)
    box.querySelector<HTMLElement>('input:not([type="hidden"], [hidden]), textarea, select')?.focus();
}

function isBoxOpen(): boolean {
  return [...document.querySelectorAll('details.popover[open]')].some((box) => box.checkVisibility());
}

function moveRow(by: 1 | -1): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')].filter((row) => row.checkVisibility());
  if (rows.length === 0) return false;
  const row = currentRow();
  const at = row === null ? (by === 1 ? 0 : rows.length - 1) : rows.indexOf(row) + by;
  const next = rows[Math.min(Math.max(at, 0), rows.length - 1)];
  if (next === undefined) return false;
  for (const one of rows) one.removeAttribute('aria-selected');
  next.setAttribute('aria-selected', 'true');
  (next.querySelector<HTMLElement>('a[href]') ?? next).focus();
  next.scrollIntoView({ block: 'nearest' });
  return true;
}

function currentRow(): HTMLElement | null {
  return document.querySelector<HTMLElement>('[data-row][aria-selected="true"]');
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches('input:not([type="checkbox"], [type="radio"]), textarea, select');
}

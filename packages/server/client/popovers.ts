/** Escape closes an open box and leads back to the button that opened it. */
export function closePopoversByEscape(): void {
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    const open = [...document.querySelectorAll<HTMLDetailsElement>('details.popover[open]')];
    const box = open.find((one) => one.contains(document.activeElement)) ?? open.at(-1);
    if (box === undefined) return;
    event.preventDefault();
    box.open = false;
    box.querySelector('summary')?.focus();
  });
}

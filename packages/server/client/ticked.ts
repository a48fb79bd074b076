/** Says how many rows are ticked, where the buttons for them are. */
export function countTicked(): void {
  const show = () => {
    const count = document.querySelectorAll('[data-tick]:checked').length;
    for (const element of document.querySelectorAll('[data-ticked]')) {
      element.textContent = count === 1 ? '1 message is ticked' : `${count} messages are ticked`;
    }
  };
  document.addEventListener('change', show);
  document.addEventListener('ticked', show);
}

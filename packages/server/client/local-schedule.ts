/**
 * A time is sent in UTC, and edited in the reader's time zone. The field that was sent in UTC becomes hidden, and a new one beside it has the
 * local time.
 */
export function showLocalSchedules(part: ParentNode): void {
  for (const place of part.querySelectorAll<HTMLElement>('[data-local-schedule]')) {
    const sent = place.querySelector<HTMLInputElement>('input[type="datetime-local"]');
    if (sent === null || place.dataset['isLocal'] === 'true') continue;
    place.dataset['isLocal'] = 'true';
    const local = sent.cloneNode() as HTMLInputElement; // A clone of an input.
    local.removeAttribute('name');
    local.value = sent.value === '' ? '' : toLocal(`${sent.value}Z`);
    sent.type = 'hidden';
    sent.removeAttribute('id');
    sent.after(local);
    const hint = place.querySelector('small');
    if (hint !== null) {
      const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
      hint.textContent = `Your time (${zone}). Leave it empty to send as soon as it is approved.`;
    }
    local.addEventListener('input', () => {
      const at = new Date(local.value);
      sent.value = Number.isNaN(at.getTime()) ? '' : at.toISOString().slice(0, 16);
    });
  }
}

function toLocal(utc: string): string {
  const at = new Date(utc);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

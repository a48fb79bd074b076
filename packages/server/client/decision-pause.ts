/** So long must a page be shown before it can be decided. */
const SHOWN_MS = 1_500;
/** A burst of presses ends when no press came for this time. */
const QUIET_MS = 700;

let isPaused = false;
let hasPressBegunPaused = false;
let endsAt = 0;
let pauses = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

/**
 * Ignores decisions from one decision until the next message was shown for a moment: its buttons appear under the finger that pressed those of
 * the message before, and no one may approve what they did not see. A press during the pause prolongs it, so one burst decides once.
 */
export function guardDecisions(): void {
  document.addEventListener('pointerdown', () => (hasPressBegunPaused = isPaused), true);
  for (const type of ['click', 'submit'] as const) document.addEventListener(type, ignoreWhilePaused, true);
  document.addEventListener('content-shown', markButtons);
}

/** Until `endDecisionPauseSoon` is called, because the next page is not there yet. */
export function pauseDecisions(): void {
  isPaused = true;
  pauses += 1;
  clearTimeout(timer);
  endsAt = Number.POSITIVE_INFINITY;
  markButtons();
}

/** The time starts when the browser has painted the page, so never in a hidden tab. */
export function endDecisionPauseSoon(): void {
  pauseDecisions();
  const mine = pauses;
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      if (mine !== pauses) return;
      endsAt = performance.now() + SHOWN_MS;
      endIn(SHOWN_MS);
    }),
  );
}

function endIn(ms: number): void {
  clearTimeout(timer);
  timer = setTimeout(() => {
    isPaused = false;
    markButtons();
  }, ms);
}

function ignoreWhilePaused(event: Event): void {
  const pressed = event instanceof SubmitEvent ? submittedBy(event) : pressedButton(event);
  if (pressed === null) return;
  // A key or a script clicks without a pointer.
  const isByPointer = event instanceof MouseEvent && event.detail > 0;
  if (!isPaused && !(isByPointer && hasPressBegunPaused)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (Number.isFinite(endsAt) && isPaused) endIn(Math.max(endsAt - performance.now(), QUIET_MS));
}

function submittedBy({ target, submitter }: SubmitEvent): Element | null {
  if (!(target instanceof HTMLFormElement) || target.dataset['undo'] === undefined) return null;
  return submitter instanceof HTMLButtonElement && !decides(submitter) ? null : target;
}

function pressedButton({ target }: Event): Element | null {
  const button = target instanceof Element ? target.closest('button') : null;
  return button !== null && decides(button) ? button : null;
}

/** Whether the button decides, rather than shows something. */
function decides(button: HTMLButtonElement): boolean {
  return button.form?.dataset['undo'] !== undefined && button.value !== 'change' && button.value !== 'compare';
}

function markButtons(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[type="submit"]')) {
    if (!decides(button)) continue;
    if (isPaused) button.setAttribute('aria-disabled', 'true');
    else button.removeAttribute('aria-disabled');
  }
}

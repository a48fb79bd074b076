/** A page is at most so many times as high as wide: a longer one is made smaller. */
const MAX_RATIO = 10;
/** Of one drawn page: 32 MB. Phones end a tab that has a few hundred megabytes of them. */
const MAX_PIXELS = 8 * 1024 * 1024;
/** So many pages stay drawn. */
const MAX_DRAWN = 6;
/** Of all pages together, as text for screen readers. */
const MAX_CHARACTERS = 500_000;

/**
 * Shows pages below each other, each drawn when it becomes visible.
 * @param {HTMLElement} main
 * @param {{ readonly total: number, readonly within: <T>(work: Promise<T>) => Promise<T>, readonly onError: (error: unknown) => void }} options
 */
export function createPageView(main, { total, within, onError }) {
  /** @typedef {{ readonly page: any, readonly section: HTMLElement, readonly canvas: HTMLCanvasElement, drawing: Promise<void> | null, isVisible: boolean }} Entry */
  /** @type {Map<Element, Entry>} */
  const entries = new Map();
  /** @type {Set<Entry>} in the order in which they were drawn */
  const drawn = new Set();
  let charactersLeft = MAX_CHARACTERS;

  const observer = new IntersectionObserver((changes) => {
    for (const { target, isIntersecting } of changes) {
      const entry = entries.get(target);
      if (entry === undefined) continue;
      entry.isVisible = isIntersecting;
      if (isIntersecting) draw(entry).catch(() => {});
    }
  });

  /** @param {Entry} entry */
  function draw(entry) {
    entry.drawing ??= drawNow(entry).catch((error) => {
      note('This page cannot be shown. Download the file to read it.', entry.section);
      onError(error);
      throw error;
    });
    return entry.drawing;
  }

  /** @param {Entry} entry */
  async function drawNow({ page, section, canvas }) {
    const entry = /** @type {Entry} */ (entries.get(section));
    drawn.add(entry);
    for (const old of drawn) if (drawn.size > MAX_DRAWN && !old.isVisible && old !== entry) release(old);
    const width = section.clientWidth;
    const { width: pageWidth, height: pageHeight } = page.getViewport({ scale: 1 });
    const height = section.clientHeight;
    const density = Math.min(devicePixelRatio, Math.sqrt(MAX_PIXELS / (width * height)));
    const scale = Math.min(width / pageWidth, height / pageHeight) * density;
    canvas.width = Math.max(1, Math.floor(width * density));
    canvas.height = Math.max(1, Math.floor(height * density));
    const task = page.render({ canvas, viewport: page.getViewport({ scale }) });
    try {
      await within(task.promise);
    } catch (error) {
      task.cancel();
      throw error;
    }
    if (section.querySelector('.text') === null) await addText(page, section);
  }

  /** Frees the memory of a page that is out of sight. @param {Entry} entry */
  function release(entry) {
    drawn.delete(entry);
    entry.drawing = null;
    entry.canvas.width = 0;
    entry.canvas.height = 0;
  }

  /** @param {any} page @param {HTMLElement} section */
  async function addText(page, section) {
    const { items } = await within(page.getTextContent());
    const whole = items.map((/** @type {any} */ { str, hasEOL }) => `${str ?? ''}${hasEOL ? '\n' : ''}`).join('');
    const text = document.createElement('div');
    text.className = 'text';
    text.textContent = whole.slice(0, charactersLeft);
    charactersLeft -= text.textContent.length;
    section.append(text);
  }

  /** @param {string} text @param {HTMLElement} [place] */
  function note(text, place = main) {
    const paragraph = document.createElement('p');
    paragraph.textContent = text;
    place.append(paragraph);
  }

  // A turned phone: what is visible is drawn again at the new width.
  let lastWidth = innerWidth;
  addEventListener('resize', () => {
    if (innerWidth === lastWidth) return;
    lastWidth = innerWidth;
    for (const entry of [...drawn]) release(entry);
    for (const entry of entries.values()) if (entry.isVisible) draw(entry).catch(() => {});
  });

  return {
    /** @param {any} page */
    add(page) {
      const { width, height } = page.getViewport({ scale: 1 });
      const section = document.createElement('section');
      section.setAttribute('aria-label', `Page ${page.pageNumber} of ${total}`);
      section.style.aspectRatio = `1 / ${Math.min(height / width, MAX_RATIO)}`;
      const canvas = document.createElement('canvas');
      canvas.setAttribute('aria-hidden', 'true');
      section.append(canvas);
      main.append(section);
      entries.set(section, { page, section, canvas, drawing: null, isVisible: false });
      observer.observe(section);
    },
    /** Draws a page, and resolves when it is visible. @param {number} number */
    async drawn(number) {
      const entry = [...entries.values()][number - 1];
      if (entry !== undefined) await draw(entry);
    },
    note,
  };
}

type ShowPdf = (
  frame: HTMLIFrameElement,
  bytes: ArrayBuffer,
) => Promise<{ readonly shown: number; readonly pages: number }>;

/** PDFs are drawn by a script, so what opens them is hidden without it. */
export function offerPdfs(part: ParentNode): void {
  for (const one of part.querySelectorAll<HTMLElement>('[data-pdf][data-viewer]')) one.hidden = false;
}

/** Shows a PDF in the page when its part is opened. The viewer is large, so it is only loaded then. */
export function startPdfs(): void {
  document.addEventListener(
    'toggle',
    (event) => {
      const part = event.target;
      if (!(part instanceof HTMLDetailsElement) || !part.open || part.dataset['shown'] === 'true') return;
      const { pdf, viewer } = part.dataset;
      const place = part.querySelector('.pdf-pages');
      if (pdf === undefined || viewer === undefined || place === null) return;
      part.dataset['shown'] = 'true';
      show(place, { pdf, viewer, name: part.dataset['name'] ?? 'PDF' }).catch((error: unknown) => {
        place.textContent = error instanceof Error ? error.message : String(error);
      });
    },
    // The event does not bubble.
    true,
  );
}

async function show(
  place: Element,
  { pdf, viewer, name }: { readonly pdf: string; readonly viewer: string; readonly name: string },
): Promise<void> {
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.title = name;
  frame.className = 'pdf-frame';
  frame.src = '/assets/pdf/frame';
  const note = document.createElement('p');
  note.className = 'small soft';
  note.textContent = 'Opening…';
  place.replaceChildren(note, frame);
  const [{ showPdf }, bytes] = await Promise.all([import(viewer) as Promise<{ showPdf: ShowPdf }>, read(pdf)]);
  const { shown, pages } = await showPdf(frame, bytes);
  note.textContent = shown < pages ? `The first ${shown} of ${pages} pages` : pages === 1 ? '1 page' : `${pages} pages`;
}

async function read(address: string): Promise<ArrayBuffer> {
  const response = await fetch(address).catch(() => null);
  if (response?.ok !== true) throw new Error('The file could not be loaded. Try again, or download it.');
  return await response.arrayBuffer();
}

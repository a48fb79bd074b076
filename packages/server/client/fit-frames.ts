/** Longer messages scroll in their frame, so that what is below them stays within reach. */
const HEIGHT_MAX_PX = 1_800;
/** A message that is larger is not laid out twice. */
const CHARACTERS_MAX = 500_000;
const PICTURES_MS = 1_000;
const RESIZED_MS = 200;

const contents = new WeakMap<HTMLIFrameElement, Promise<string | null>>();

/**
 * Gives each frame that shows a message the height of its content. The frame has an opaque origin, so it cannot be asked: a hidden frame of the
 * server (ui/ruler-route.ts) lays out the same HTML in the same width. Nothing runs or loads in that frame either, and it is removed at once.
 */
export function fitFrames(): void {
  void fitAll();
  document.addEventListener('content-shown', () => void fitAll());
  let resized: ReturnType<typeof setTimeout> | undefined;
  let width = innerWidth;
  addEventListener('resize', () => {
    // The bars of a phone's browser change the height while one scrolls.
    if (width === innerWidth) return;
    width = innerWidth;
    clearTimeout(resized);
    resized = setTimeout(() => void fitAll(true), RESIZED_MS);
  });
}

async function fitAll(isAgain = false): Promise<void> {
  for (const frame of document.querySelectorAll<HTMLIFrameElement>('iframe.mail-frame[src]')) {
    if (isAgain || !contents.has(frame)) await fit(frame).catch(() => {});
  }
}

async function fit(frame: HTMLIFrameElement): Promise<void> {
  const reading = contents.get(frame) ?? read(frame.src);
  contents.set(frame, reading);
  const markup = await reading;
  if (markup === null || frame.clientWidth === 0) return;
  const height = await measure(markup, frame.clientWidth);
  if (height === null) return;
  const borders = frame.offsetHeight - frame.clientHeight;
  frame.style.minHeight = '0';
  frame.style.height = `${Math.min(height, HEIGHT_MAX_PX) + borders}px`;
}

async function read(address: string): Promise<string | null> {
  const response = await fetch(address).catch(() => null);
  if (response?.ok !== true) return null;
  const markup = await response.text();
  return markup.length > CHARACTERS_MAX ? null : markup;
}

async function measure(markup: string, width: number): Promise<number | null> {
  const ruler = document.createElement('iframe');
  ruler.setAttribute('sandbox', 'allow-same-origin');
  ruler.setAttribute('aria-hidden', 'true');
  ruler.tabIndex = -1;
  ruler.title = 'Not shown';
  ruler.className = 'ruler';
  ruler.style.width = `${width}px`;
  ruler.src = '/assets/ruler/frame';
  document.body.append(ruler);
  try {
    await new Promise((resolve) => ruler.addEventListener('load', resolve, { once: true }));
    const root = ruler.contentDocument?.documentElement;
    if (root === undefined) return null;
    root.innerHTML = markup;
    const pictures = [...root.querySelectorAll('img')].map((picture) => picture.decode().catch(() => {}));
    await Promise.race([Promise.all(pictures), new Promise((resolve) => setTimeout(resolve, PICTURES_MS))]);
    // A message that is wider than its frame has a scroll bar.
    const bar = root.scrollWidth > root.clientWidth ? 16 : 0;
    return root.scrollHeight + bar;
  } finally {
    ruler.remove();
  }
}

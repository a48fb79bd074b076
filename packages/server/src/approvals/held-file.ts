/** The index of a file in the path of its address. A file has one address, so an index with leading zeros or escapes names none. */
export function readFileIndex(path: string): number | null {
  const index = /\/files\/(0|[1-9]\d{0,2})$/.exec(path)?.[1];
  return index === undefined ? null : Number(index);
}

/** Types that a browser can display without running code from the file, on a separate page without other permissions. */
const SHOWN = new Map([
  ...['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'].map((type) => [type, type] as const),
  ['application/pdf', 'application/pdf'],
  ['text/plain', 'text/plain; charset=utf-8'],
  ['text/csv', 'text/plain; charset=utf-8'],
]);

/** How a reader gets a file of an email: displayed inline, or as a download only. */
export interface ServedFile {
  readonly isShown: boolean;
  readonly contentType: string;
  readonly disposition: string;
}

/** The content type is the sender's claim. A header stops browsers from guessing another one, and only harmless types are displayed. */
export function serveFile(filename: string, contentType: string): ServedFile {
  const essence = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  const shown = SHOWN.get(essence);
  const plain = filename.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const disposition = `${shown === undefined ? 'attachment' : 'inline'}; filename="${plain}"; filename*=UTF-8''${encodeName(filename)}`;
  return { isShown: shown !== undefined, contentType: shown ?? 'application/octet-stream', disposition };
}

/** RFC 8187; `encodeURIComponent` does not encode `'()*`. */
function encodeName(filename: string): string {
  return encodeURIComponent(filename.toWellFormed()).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

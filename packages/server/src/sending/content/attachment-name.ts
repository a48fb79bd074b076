/** The extensions of files that run as programs when they are opened. */
const REFUSED_ENDINGS = new Set(['exe', 'bat', 'cmd', 'com', 'scr', 'js', 'vbs', 'msi', 'lnk', 'jar']);

/**
 * The name a file is sent under: without folders, and without trailing dots and spaces, which some systems drop when they store a file.
 * Null if nothing is left of it.
 */
export function sanitizeFilename(given: string): string | null {
  const name = given.slice(Math.max(given.lastIndexOf('/'), given.lastIndexOf('\\')) + 1);
  const kept = withoutTail(name.trimStart());
  return kept === '' ? null : kept;
}

/**
 * Whether a file of this name runs as a program. The last extension decides. A colon ends the name on Windows (`a.exe:b.txt` is stored as
 * `a.exe`), so the part before it is checked too. Full-width and other look-alike letters count as the letters they resemble.
 */
export function isRefusedType(filename: string): boolean {
  return (
    filename
      .normalize('NFKC')
      // Invisible characters can hide an extension from this check, and some systems drop them.
      .replace(/\p{Cf}/gu, '')
      .toLowerCase()
      .split(':')
      .some((part) => REFUSED_ENDINGS.has(endingOf(withoutTail(part))))
  );
}

/** The text after the last dot, in lower case; empty without a dot. */
export function endingOf(filename: string): string {
  const dot = filename.lastIndexOf('.');
  return dot === -1 ? '' : filename.slice(dot + 1).toLowerCase();
}

function withoutTail(name: string): string {
  let end = name.length;
  while (end > 0 && /[.\s]/.test(name.charAt(end - 1))) end -= 1;
  return name.slice(0, end);
}

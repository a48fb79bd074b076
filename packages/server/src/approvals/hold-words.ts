const KILOBYTE = 1_000;

/** `12 bytes`, `34 KB`, `5.6 MB` */
export function formatSize(bytes: number): string {
  if (bytes < KILOBYTE) return `${bytes} byte${bytes === 1 ? '' : 's'}`;
  if (bytes < KILOBYTE ** 2) return `${Math.round(bytes / KILOBYTE)} KB`;
  return `${(bytes / KILOBYTE ** 2).toFixed(1)} MB`;
}

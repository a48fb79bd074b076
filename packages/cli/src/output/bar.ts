const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const;

/** A bar of at most `columns`, in eighths of a column. A value above zero always shows something. */
export function bar(value: number, most: number, columns: number): string {
  if (!(value > 0) || !(most > 0)) return '';
  const eighths = Math.max(1, Math.round((Math.min(value, most) / most) * columns * 8));
  return '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '');
}

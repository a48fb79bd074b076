export interface TextFault {
  readonly path: string;
  readonly message: string;
}

/**
 * Finds the first string (or key) that no database text can hold: JSON may carry NUL and lone surrogates, Postgres refuses both, and
 * neither has a meaning in mail. Null where all is well.
 */
export function findTextFault(value: unknown, path = ''): TextFault | null {
  if (typeof value === 'string') return faultOf(value, path);
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, inner] of Object.entries(value)) {
    const at = path === '' ? key : `${path}.${key}`;
    const fault = faultOf(key, path) ?? findTextFault(inner, at);
    if (fault !== null) return fault;
  }
  return null;
}

function faultOf(text: string, path: string): TextFault | null {
  if (text.includes('\u0000')) return { path, message: 'must not contain NUL characters' };
  return text.isWellFormed() ? null : { path, message: 'must not contain lone surrogates (it is not valid Unicode)' };
}

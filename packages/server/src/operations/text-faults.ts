export interface TextFault {
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

/**
 * Finds the first string or key that a database text cannot store: JSON may contain NUL and lone surrogates, Postgres refuses both, and
 * neither has a meaning in mail. A query string that is not UTF-8 also has a lone surrogate (`http/query-string.ts`). Also finds `__proto__` as the name of a map's entry, which map schemas would drop silently (at the root it
 * is an ordinary unknown field). Null if there is none.
 */
export function findTextFault(value: unknown): TextFault | null {
  return isStorable(value, true) ? null : locateFault(value, '');
}

/** The same check without the place of the fault, which costs most: nearly every value passes. */
function isStorable(value: unknown, isRoot: boolean): boolean {
  if (typeof value === 'string') return isStorableText(value);
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every((inner) => isStorable(inner, false));
  for (const key in value) {
    if (!isStorableText(key) || (key === '__proto__' && !isRoot)) return false;
    if (!isStorable(value[key as keyof typeof value], false)) return false;
  }
  return true;
}

function isStorableText(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

function locateFault(value: unknown, path: string): TextFault | null {
  if (typeof value === 'string') return faultOf(value, path);
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, inner] of Object.entries(value)) {
    const at = path === '' ? key : `${path}.${key}`;
    const fault = faultOf(key, path) ?? faultOfName(key, path, at) ?? locateFault(inner, at);
    if (fault !== null) return fault;
  }
  return null;
}

function faultOf(text: string, path: string): TextFault | null {
  const code = 'invalid_unicode';
  if (text.includes('\u0000')) return { path, code, message: 'must not contain NUL characters' };
  return text.isWellFormed()
    ? null
    : { path, code, message: 'must be valid Unicode, without lone surrogates or bytes that are not UTF-8' };
}

function faultOfName(key: string, path: string, at: string): TextFault | null {
  if (key !== '__proto__' || path === '') return null;
  return { path: at, code: 'invalid_value', message: 'cannot be used as a name' };
}

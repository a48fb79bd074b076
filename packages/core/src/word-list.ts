/** Longer lists are cut: a sentence with fifty names is not read. */
const NAMED = 5;

/** `a, b and c`; of a long list the first ones and how many more there are. */
export function inWords(names: readonly string[], join: 'and' | 'or', none = ''): string {
  const shown = names.length > NAMED ? [...names.slice(0, NAMED - 1), `${names.length - NAMED + 1} more`] : names;
  const last = shown.at(-1);
  if (last === undefined) return none;
  return shown.length === 1 ? last : `${shown.slice(0, -1).join(', ')} ${join} ${last}`;
}

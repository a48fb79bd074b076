/** One metric: the lines that describe it, and its samples. */
interface Family {
  readonly about: readonly string[];
  readonly samples: string[];
}

/** Combines pages in the Prometheus text format, which allows each metric to be described only once, with all its samples together. */
export function mergeMetrics(pages: readonly string[]): string {
  const families = new Map<string, Family>();
  for (const page of pages) {
    let family: Family | null = null;
    let about: string[] = [];
    for (const line of page.split('\n')) {
      if (line.startsWith('# HELP ')) about = [line];
      else if (line.startsWith('# TYPE ')) {
        const name = line.split(' ', 3)[2] ?? '';
        family = families.get(name) ?? { about: [...about, line], samples: [] };
        families.set(name, family);
      } else if (line !== '') family?.samples.push(line);
    }
  }
  const texts = [...families.values()].map(({ about, samples }) => [...about, ...samples].join('\n'));
  return `${texts.join('\n\n')}\n`;
}

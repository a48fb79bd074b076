import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runPnpm } from '../run-pnpm.ts';
import type { Bom } from './judge-sbom.ts';

export interface Sbom {
  /** For example `postrider-server.cdx.json`. */
  readonly file: string;
  readonly bom: Bom;
}

/**
 * Generates a CycloneDX document for each published package, with its production dependencies. Versions and hashes come from the lockfile,
 * licenses from the installed packages.
 * @throws if pnpm cannot list them
 */
export function makeSboms(folder: string): readonly Sbom[] {
  mkdirSync(folder, { recursive: true });
  const format = ['--sbom-format', 'cyclonedx', '--sbom-spec-version', '1.6', '--prod', '--split'];
  const run = runPnpm(['--filter', './packages/*', 'sbom', ...format, '--out', join(folder, '%s.cdx.json')]);
  if (!run.ok) throw new Error(`pnpm could not make a bill of materials:\n${run.output}`);
  const files = readdirSync(folder).filter((file) => file.endsWith('.cdx.json'));
  return files.sort().map((file) => ({ file, bom: JSON.parse(readFileSync(join(folder, file), 'utf8')) as Bom })); // judgeSbom validates it.
}

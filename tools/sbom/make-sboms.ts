import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runPnpm } from '../run-pnpm.ts';
import type { Bom } from './judge-sbom.ts';

export interface Sbom {
  /** `postrider-server.cdx.json`, for one. */
  readonly file: string;
  readonly bom: Bom;
}

/**
 * Writes a CycloneDX document for each published package, with all that is installed with it in production. Versions and hashes are those of the
 * lockfile, licenses those of the installed packages.
 * @throws where pnpm cannot make them
 */
export function makeSboms(folder: string): readonly Sbom[] {
  mkdirSync(folder, { recursive: true });
  const format = ['--sbom-format', 'cyclonedx', '--sbom-spec-version', '1.6', '--prod', '--split'];
  const run = runPnpm(['--filter', './packages/*', 'sbom', ...format, '--out', join(folder, '%s.cdx.json')]);
  if (!run.ok) throw new Error(`pnpm could not make a bill of materials:\n${run.output}`);
  const files = readdirSync(folder).filter((file) => file.endsWith('.cdx.json'));
  return files.sort().map((file) => ({ file, bom: JSON.parse(readFileSync(join(folder, file), 'utf8')) as Bom })); // Validated by judgeSbom.
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { listPackages } from '../packages/package-list.ts';
import { ROOT } from '../run-program.ts';
import { createSbomJudge } from './judge-sbom.ts';
import { makeSboms } from './make-sboms.ts';

/**
 * `pnpm run sbom [folder]`: writes a software bill of materials for each published package, by default to dist/sbom. With `--check` it
 * writes nothing, and only checks that valid documents can be generated.
 */
const [given] = process.argv.slice(2);
const isCheck = given === '--check';
const folder = isCheck ? mkdtempSync(join(tmpdir(), 'postrider-sbom-')) : resolve(given ?? join(ROOT, 'dist/sbom'));
try {
  const sboms = makeSboms(folder);
  const judge = createSbomJudge();
  const missing = listPackages(ROOT)
    .map(({ manifest: { name } }) => name)
    .filter(
      (name) =>
        !sboms.some(({ bom: { metadata } }) => `${metadata.component.group}/${metadata.component.name}` === name),
    );
  const faults = [
    ...missing.map((name) => `${name} has no bill of materials`),
    ...sboms.flatMap(({ file, bom }) => judge(bom).map((fault) => `${file}: ${fault}`)),
  ];
  for (const fault of faults) console.error(fault);
  for (const { file, bom } of sboms)
    console.log(`${join(isCheck ? '' : folder, file)}: ${bom.components.length} components`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  if (isCheck) rmSync(folder, { recursive: true, force: true });
}

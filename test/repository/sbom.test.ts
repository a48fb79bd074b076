import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bom, createSbomJudge } from '../../tools/sbom/judge-sbom.ts';
import { makeSboms, type Sbom } from '../../tools/sbom/make-sboms.ts';

describe('the software bills of materials', () => {
  const judge = createSbomJudge();
  let folder: string;
  let sboms: readonly Sbom[];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postrider-sbom-'));
    sboms = makeSboms(folder);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const bomOf = (name: string): Bom => {
    const found = sboms.find(({ bom }) => bom.metadata.component.name === name);
    if (found === undefined) throw new Error(`no bill of ${name}`);
    return found.bom;
  };

  it('exist for every published package, valid CycloneDX 1.6, with purls, licenses and hashes', () => {
    expect(sboms.map(({ bom }) => bom.metadata.component.name)).toEqual([
      'cli',
      'core',
      'mcp',
      'review',
      'sdk',
      'server',
    ]);
    for (const { file, bom } of sboms) expect([file, bom.specVersion, judge(bom)]).toEqual([file, '1.6', []]);
  });

  it('name what is installed in production, and nothing else', () => {
    const names = bomOf('server').components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['fastify', 'postgres', 'zod', 'liquidjs']));
    for (const name of ['vitest', 'playwright-core', 'typescript']) expect(names).not.toContain(name);
  });

  it('are rejected when they are invalid, or lack a purl, a license or a hash', () => {
    const bom = bomOf('sdk');
    const [undici] = bom.components;
    if (undici === undefined) throw new Error('no component');
    const { licenses: _licenses, externalReferences: _references, purl: _purl, ...bare } = undici;
    expect(judge({ ...bom, components: [bare] })).toEqual([
      expect.stringMatching(/^undici@\S+ has no purl$/),
      expect.stringMatching(/ has no license$/),
      expect.stringMatching(/ has no hash$/),
    ]);
    expect(judge({ ...bom, specVersion: 'one' })).not.toEqual([]);
    const wrong: unknown = { ...bom, components: [{ ...undici, type: 'thing' }] };
    expect(judge(wrong as Bom)).not.toEqual([]);
  });
});

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type AnyOperation, type CallableOperation, OPERATIONS, type Operation } from '@postrider/core';
import { COSTS_FILE, REASONS_FILE, RESULTS_FILE } from '../../bench/all/results.ts';
import { agentSignIn } from '../../test/requirements/agent-sign-in.ts';
import { collectCitations } from '../../test/requirements/citations.ts';
import { holes } from '../../test/requirements/holes.ts';
import { REQUIREMENTS } from '../../test/requirements.ts';
import { renderAgentsDoc } from './agents-doc.ts';
import { cliHelpFiles } from './cli-help.ts';
import { renderConfigurationDoc, type Setting } from './configuration-doc.ts';
import { renderErrorsDoc } from './errors-doc.ts';
import { renderEventsDoc } from './events-doc.ts';
import { HELD_VIEW_FOLDER, renderHeldView } from './held-view.ts';
import { renderIcons } from './icons.ts';
import { INDEX_FOLDERS, renderIndexes } from './indexes.ts';
import { renderMcpDoc } from './mcp-doc.ts';
import { mcpSnapshotFiles } from './mcp-snapshots.ts';
import { createOpenApiDocument, type OpenApiDocument, renderOpenApiDocument } from './openapi-document.ts';
import { renderPageScript } from './page-scripts.ts';
import { renderPerformanceDoc } from './performance-doc.ts';
import { type Product, TYPESCRIPT_NOTICE } from './product.ts';
import { renderKeysDoc } from './reach-doc.ts';
import { renderRequirementsDoc } from './requirements-doc.ts';
import { describeCall } from './sdk-calls.ts';
import { renderSdkDoc } from './sdk-doc.ts';
import { renderSdkEntry, renderSdkModels } from './sdk-models.ts';
import { renderSdkOperations } from './sdk-operations.ts';
import { renderSdkPublicApi } from './sdk-public-api.ts';
import { renderResource, renderResources } from './sdk-resources.ts';
import { renderSdkSchema } from './sdk-schema.ts';
import { renderSecurityDoc } from './security-doc.ts';
import { renderSetUp } from './set-up.ts';
import { renderToolsDoc } from './tools-doc.ts';

const SDK_GENERATED = 'packages/sdk/src/generated';

/** Folders with generated files only: any other file in them is deleted. */
export const GENERATED_FOLDERS: readonly string[] = [
  ...INDEX_FOLDERS,
  SDK_GENERATED,
  'packages/cli/src/generated',
  'packages/server/src/ui/generated',
  HELD_VIEW_FOLDER,
  'test/mcp/snapshots',
];

/** Renders every generated file from the sources under the repository root. The output is deterministic. */
export async function renderProducts(root: string): Promise<readonly Product[]> {
  const document = createOpenApiDocument(await readVersion(root, 'server'));
  const citations = await collectCitations(root);
  const sdk = await renderSdk(root, document, await readVersion(root, 'sdk'));
  return [
    ...(await renderIndexes(root)),
    { path: 'openapi.yaml', content: renderOpenApiDocument(document) },
    ...sdk,
    { path: 'test/sdk/public-api.txt', content: await renderSdkPublicApi(root, sdk) },
    { path: 'docs/agents.md', content: renderAgentsDoc() },
    { path: 'docs/errors.md', content: renderErrorsDoc() },
    { path: 'docs/events.md', content: renderEventsDoc(document) },
    { path: 'docs/keys.md', content: renderKeysDoc(await readFile(path.join(root, 'docs/keys.md'), 'utf8')) },
    { path: 'docs/mcp.md', content: renderMcpDoc() },
    { path: 'docs/tools.md', content: renderToolsDoc() },
    ...(await renderConfiguration(root)),
    ...toProducts(await cliHelpFiles()),
    ...toProducts(mcpSnapshotFiles()),
    ...(await renderIcons(root)),
    ...(await renderSetUp(root)),
    await renderHeldView(root),
    await renderPageScript(root, 'console'),
    await renderPageScript(root, 'passkey'),
    ...(await renderPerformance(root)),
    { path: 'docs/requirements.md', content: renderRequirementsDoc(REQUIREMENTS, citations) },
    { path: 'docs/security.md', content: renderSecurityDoc({ holes, agentSignIn }, citations) },
  ];
}

/** Empty before the first full run of the benchmarks. */
async function renderPerformance(root: string): Promise<readonly Product[]> {
  if (!existsSync(path.join(root, RESULTS_FILE))) return [];
  const [run, reasons, costs] = await Promise.all(
    [RESULTS_FILE, REASONS_FILE, COSTS_FILE].map(async (file) =>
      JSON.parse(await readFile(path.join(root, file), 'utf8')),
    ),
  );
  return [{ path: 'docs/performance.md', content: renderPerformanceDoc(run, reasons, costs) }];
}

async function renderSdk(root: string, document: OpenApiDocument, version: string): Promise<readonly Product[]> {
  const operations = OPERATIONS.filter(isCallable);
  const resources = Map.groupBy(
    operations.filter((operation) => !isAlias(operation)).map((operation) => describeCall(operation, document)),
    ({ resource }) => resource,
  );
  return [
    { path: 'packages/sdk/src/index.ts', content: await renderSdkEntry(root, document) },
    { path: 'docs/sdk.md', content: await renderSdkDoc(root, resources) },
    { path: `${SDK_GENERATED}/version.ts`, content: `${TYPESCRIPT_NOTICE}\n\nexport const VERSION = '${version}';\n` },
    { path: `${SDK_GENERATED}/schema.ts`, content: await renderSdkSchema(document) },
    { path: `${SDK_GENERATED}/models.ts`, content: renderSdkModels(document, [...resources.values()].flat()) },
    { path: `${SDK_GENERATED}/operations.ts`, content: renderSdkOperations(operations, document) },
    { path: `${SDK_GENERATED}/resources.ts`, content: renderResources([...resources.keys()]) },
    ...[...resources].map(([resource, calls]) => ({
      path: `${SDK_GENERATED}/resources/${resource}.ts`,
      content: renderResource(resource, calls),
    })),
  ];
}

function isCallable(operation: AnyOperation): operation is CallableOperation {
  return operation.response !== 'raw';
}

/** An alias of a call needs no method. */
function isAlias({ aliasOf }: Operation): boolean {
  return aliasOf !== undefined;
}

function toProducts(files: Readonly<Record<string, string>>): readonly Product[] {
  return Object.entries(files).map(([name, content]) => ({ path: name, content }));
}

async function renderConfiguration(root: string): Promise<readonly Product[]> {
  const file = path.join(root, 'packages/server/src/config.ts');
  if (!existsSync(file)) return [];
  const { SETTINGS } = (await import(pathToFileURL(file).href)) as { readonly SETTINGS: readonly Setting[] };
  return [{ path: 'docs/configuration.md', content: renderConfigurationDoc(SETTINGS) }];
}

async function readVersion(root: string, name: string): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(path.join(root, 'packages', name, 'package.json'), 'utf8'));
  const hasVersion = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  if (!hasVersion || typeof manifest.version !== 'string') throw new Error(`packages/${name} has no version`);
  return manifest.version;
}

import {
  OPERATIONS,
  type Operation,
  type Problem,
  type ReferenceParams,
  renameOperations,
  rewriteFixes,
  writeCommand,
} from '@postrider/core';
import type { Invoke } from './invoke.ts';

/** Replaces operations named in API texts by the tools of the connection. */
export type NameTools = (text: string) => string;

/** @param tools the tools of this connection; for other operations, the text suggests asking a user. */
export function createNameTools(tools: ReadonlySet<string>): NameTools {
  const operations: readonly Operation[] = OPERATIONS;
  return (text) => renameOperations(text, operations, (operation, params) => nameOf(operation, params, tools));
}

function nameOf({ id, path, mcp, cli }: Operation, params: ReferenceParams, tools: ReadonlySet<string>): string {
  if (mcp !== null && tools.has(mcp.tool)) {
    const given = Object.entries(params).filter(([, value]) => value !== null);
    const values = given.map(([name, value]) => `${name} ${value}`);
    return `\`${mcp.tool}\`${values.length === 0 ? '' : ` (${values.join(', ')})`}`;
  }
  if (cli === null) return `the REST API (no tool here does this: ask a user to call \`${id}\`)`;
  return `\`${writeCommand(cli.command, path, params)}\` (no tool here does this: ask a user to run it)`;
}

/** Rewrites every fix that the API returns, in refusals and in results. */
export function inToolNames(invoke: Invoke, nameTools: NameTools): Invoke {
  return async (operationId, input, options) => {
    const result = await invoke(operationId, input, options);
    return result.ok
      ? { ...result, body: rewriteFixes(result.body, nameTools) }
      : { ok: false, problem: inTools(result.problem, nameTools) };
  };
}

/** The problem with tool names in its sentences. */
export function inTools(problem: Problem, nameTools: NameTools): Problem {
  return { ...problem, detail: nameTools(problem.detail), fix: nameTools(problem.fix) };
}

import { findOperation, type Template } from '@postrider/core';
import { present, refuse, UNTRUSTED_NOTE } from '../results.ts';
import type { SurfaceEntry } from '../surface.ts';
import { defineTool, placeGiven, type Tool } from '../tool.ts';
import { toolInputSchema, toolOutputSchema } from '../tool-schemas.ts';
import { BODY_OFFSET, isOffset, offsetProblem } from './body-offset.ts';
import { line, section } from './message-text.ts';
import { describeBodies, describeVariables } from './template-text.ts';

const operation = findOperation('templates.get');

/** Reads a template; `body_offset` pages through bodies that are longer than one result shows. */
export function getTemplateTool(entry: SurfaceEntry): Tool {
  return defineTool({
    entry,
    ...operation.mcp,
    input: toolInputSchema(entry, { body_offset: BODY_OFFSET }),
    output: toolOutputSchema(operation),
    run: async ({ body_offset: offset = 0, ...given }, { invoke, signal }) => {
      if (!isOffset(offset)) return refuse(offsetProblem());
      const placed = placeGiven(entry, given);
      if (!placed.ok) return refuse(placed.problem);
      const result = await invoke(operation.id, placed.input, { signal });
      if (!result.ok) return refuse(result.problem);
      return present({
        // The operation answers what it declares, over HTTP as in process.
        record: result.body as Template,
        bodyOffset: offset,
        bodyTool: entry.tool,
        structuredNotes: [UNTRUSTED_NOTE],
        toText: describeTemplate,
      });
    },
  });
}

function describeTemplate(template: Template, untrusted: (text: string) => string): string {
  const { slug, version, currentVersion, updatedAt, variables, versions } = template;
  const place = version === currentVersion ? 'current' : `the current one is ${currentVersion}`;
  return [
    `Template ${slug} (${template.id}), version ${version} (${place}), changed ${updatedAt}`,
    untrusted(
      [
        ...line('Name', template.name),
        ...line('Subject', template.subject),
        describeVariables(variables),
        ...describeBodies(template),
        ...section(
          'Versions',
          versions.map((made) => `${made.version} ${made.createdAt}${made.note === null ? '' : `: ${made.note}`}`),
        ),
      ].join('\n'),
    ),
  ].join('\n');
}

import type { Command, Option } from 'commander';
import { readGlobals, readTree, type TreeNode } from './command-tree.ts';
import type { Shell } from './describe-program.ts';

/**
 * The script by which a shell completes the program's words and flags. All of them work alike: the words up to the cursor that are commands
 * are the path, and a table says what may follow each path. Nothing is run while somebody types.
 */
export function completionScript(program: Command, shell: Shell): string {
  const nodes = readTree(program);
  const globals = readGlobals(program).flatMap(toEntries);
  const script = SCRIPTS[shell];
  return `# ${shell} completion of ${program.name()}; made by: ${program.name()} completion ${shell}\n${script(nodes, globals)}`;
}

interface Entry {
  readonly word: string;
  readonly text: string;
}

type Script = (nodes: readonly TreeNode[], globals: readonly Entry[]) => string;

const SCRIPTS: Readonly<Record<Shell, Script>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
  powershell: powershellScript,
};

function bashScript(nodes: readonly TreeNode[], globals: readonly Entry[]): string {
  const list = (entries: readonly Entry[]) => quote(entries.map(({ word }) => word).join(' '));
  return `_postrider_next() {
  case "$1" in
${withNext(nodes)
  .map((node) => `    ${quote(node.words)}) echo ${list(nextOf(node))} ;;`)
  .join('\n')}
  esac
}
_postrider_flags() {
  case "$1" in
${withFlags(nodes)
  .map((node) => `    ${quote(node.words)}) echo ${list(flagsOf(node))} ;;`)
  .join('\n')}
  esac
}
_postrider() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" at="" word i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    [[ " $(_postrider_next "$at") " == *" $word "* ]] && at="\${at:+$at }$word"
  done
  local words
  if [[ "$cur" == -* ]]; then words="$(_postrider_flags "$at") "${list(globals)}; else words="$(_postrider_next "$at")"; fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _postrider postrider
`;
}

function zshScript(nodes: readonly TreeNode[], globals: readonly Entry[]): string {
  // In a description of _describe a colon parts word and text.
  const list = (entries: readonly Entry[]) =>
    entries.map(({ word, text }) => quote(`${word.replaceAll(':', '\\:')}:${text}`)).join(' ');
  return `#compdef postrider
_postrider_next() {
  case "$1" in
${withNext(nodes)
  .map((node) => `    ${quote(node.words)}) reply=(${list(nextOf(node))}) ;;`)
  .join('\n')}
    *) reply=() ;;
  esac
}
_postrider_flags() {
  case "$1" in
${withFlags(nodes)
  .map((node) => `    ${quote(node.words)}) reply=(${list(flagsOf(node))}) ;;`)
  .join('\n')}
    *) reply=() ;;
  esac
}
_postrider() {
  local at="" word
  local -a reply candidates
  for word in "\${(@)words[2,CURRENT-1]}"; do
    _postrider_next "$at"
    (( \${reply[(I)$word:*]} )) && at="\${at:+$at }$word"
  done
  if [[ "\${words[CURRENT]}" == -* ]]; then
    _postrider_flags "$at"
    candidates=("\${reply[@]}" ${list(globals)})
  else
    _postrider_next "$at"
    candidates=("\${reply[@]}")
  fi
  if (( \${#candidates} )); then _describe 'postrider' candidates; else _files; fi
}
compdef _postrider postrider
`;
}

function fishScript(nodes: readonly TreeNode[], globals: readonly Entry[]): string {
  const list = (entries: readonly Entry[]) => entries.map(({ word, text }) => fishQuote(`${word}\t${text}`)).join(' ');
  return `function __postrider_next
  switch "$argv[1]"
${withNext(nodes)
  .map((node) => `    case ${fishQuote(node.words)}\n      printf '%s\\n' ${list(nextOf(node))}`)
  .join('\n')}
  end
end
function __postrider_flags
  switch "$argv[1]"
${withFlags(nodes)
  .map((node) => `    case ${fishQuote(node.words)}\n      printf '%s\\n' ${list(flagsOf(node))}`)
  .join('\n')}
  end
  printf '%s\\n' ${list(globals)}
end
function __postrider_complete
  set -l at ''
  for word in (commandline -opc)[2..-1]
    for known in (__postrider_next "$at")
      if test (string split -m 1 \\t -- $known)[1] = "$word"
        set at (string trim -- "$at $word")
      end
    end
  end
  if string match -q -- '-*' (commandline -ct)
    __postrider_flags "$at"
  else
    __postrider_next "$at"
  end
end
complete -c postrider -a '(__postrider_complete)'
`;
}

function powershellScript(nodes: readonly TreeNode[], globals: readonly Entry[]): string {
  const list = (entries: readonly Entry[]) => `@(${entries.map(({ word }) => powershellQuote(word)).join(', ')})`;
  const table = (rows: readonly string[]) => `@{\n${rows.map((row) => `  ${row}`).join('\n')}\n}`;
  return `$PostriderNext = ${table(withNext(nodes).map((node) => `${powershellQuote(node.words)} = ${list(nextOf(node))}`))}
$PostriderFlags = ${table(withFlags(nodes).map((node) => `${powershellQuote(node.words)} = ${list(flagsOf(node))}`))}
$PostriderGlobals = ${list(globals)}
Register-ArgumentCompleter -Native -CommandName postrider -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $at = ''
  foreach ($element in $commandAst.CommandElements | Select-Object -Skip 1) {
    if ($element.Extent.EndOffset -ge $cursorPosition) { break }
    if ($PostriderNext[$at] -ccontains "$element") { $at = "$at $element".Trim() }
  }
  $words = if ("$wordToComplete".StartsWith('-')) { @($PostriderFlags[$at]) + $PostriderGlobals } else { @($PostriderNext[$at]) }
  $words | Where-Object { $_ -and $_.StartsWith("$wordToComplete") } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`;
}

function withNext(nodes: readonly TreeNode[]): readonly TreeNode[] {
  return nodes.filter((node) => nextOf(node).length > 0);
}

function withFlags(nodes: readonly TreeNode[]): readonly TreeNode[] {
  return nodes.filter((node) => flagsOf(node).length > 0);
}

/** What may follow: further commands, or where an argument has few values, these. */
function nextOf({ next, command }: TreeNode): readonly Entry[] {
  const words = next.map(({ name, summary }) => ({ word: name, text: summary }));
  const [first] = command.registeredArguments;
  const [, choices] = /^One of: ([\w, ]+)\.$/.exec(first?.description ?? '') ?? [];
  return [...words, ...(choices?.split(', ') ?? []).map((word) => ({ word, text: '' }))];
}

function flagsOf({ options }: TreeNode): readonly Entry[] {
  return options.flatMap(toEntries);
}

/** The first sentence is enough beside a flag. */
function toEntries({ long, description }: Option): readonly Entry[] {
  const [text = ''] = description.split(/(?<=\.) |\n/);
  return long === undefined || long === null ? [] : [{ word: long, text: text.replace(/\.$/, '') }];
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function fishQuote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", `\\'`)}'`;
}

function powershellQuote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

import type { Command, Option } from 'commander';
import { readGlobals, readTree, type TreeNode } from './command-tree.ts';
import { knownValues } from './input-option.ts';

export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
type Shell = (typeof SHELLS)[number];

/**
 * The completion script of a shell. All scripts work alike: the commands before the cursor form a path, and a table lists what can follow
 * each path. No program runs while the user types.
 */
export function completionScript(program: Command, shell: Shell): string {
  const nodes = readTree(program);
  const options = readGlobals(program);
  const globals = options.flatMap(toEntries);
  const values = [...nodes.flatMap((node) => valuesOf(node, options)), ...options.flatMap((one) => toValues('*', one))];
  const text = SCRIPTS[shell](nodes, globals, values);
  return `# ${shell} completion of ${program.name()}; made by: ${program.name()} completion ${shell}\n${text}`;
}

/** The values of a flag of a command; `*` is any command. */
interface FlagValues {
  readonly words: string;
  readonly flag: string;
  readonly values: readonly string[];
}

/** A flag that replaces a global one does not have its values. */
function valuesOf({ words, options }: TreeNode, globals: readonly Option[]): readonly FlagValues[] {
  const hidden = options.filter((own) => knownValues(own) === null && globals.some(({ long }) => long === own.long));
  return [
    ...options.flatMap((option) => toValues(words, option)),
    ...hidden.map(({ long }) => ({ words, flag: long ?? '', values: [] })),
  ];
}

function toValues(words: string, option: Option): readonly FlagValues[] {
  const values = knownValues(option);
  // Commander stores the first of two long names as the short one.
  const flags = option.flags.split(/[ ,]+/).filter((flag) => flag.startsWith('--'));
  return values === null ? [] : flags.map((flag) => ({ words, flag, values }));
}

interface Entry {
  readonly word: string;
  readonly text: string;
}

type Script = (nodes: readonly TreeNode[], globals: readonly Entry[], values: readonly FlagValues[]) => string;

const SCRIPTS: Readonly<Record<Shell, Script>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
  powershell: powershellScript,
};

function bashScript(...[nodes, globals, values]: Parameters<Script>): string {
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
_postrider_values() {
  case "$1" in
${values.map((one) => `    ${shellPattern(one)}) echo ${quote(one.values.join(' '))} ;;`).join('\n')}
  esac
}
_postrider() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" at="" word i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    [[ " $(_postrider_next "$at") " == *" $word "* ]] && at="\${at:+$at }$word"
  done
  # Bash also splits words at an equals sign.
  if [[ "$cur" == "=" ]]; then cur=""; elif [[ "$before" == "=" ]]; then before="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  local words="$(_postrider_values "$at $before")"
  if [[ -n "$words" ]]; then :
  elif [[ "$cur" == -* ]]; then words="$(_postrider_flags "$at") "${list(globals)}; else words="$(_postrider_next "$at")"; fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _postrider postrider
`;
}

function zshScript(...[nodes, globals, values]: Parameters<Script>): string {
  // _describe separates word and text by a colon.
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
_postrider_values() {
  case "$1" in
${values.map((one) => `    ${shellPattern(one)}) reply=(${one.values.map(quote).join(' ')}) ;;`).join('\n')}
    *) reply=() ;;
  esac
}
_postrider() {
  local at="" word current="\${words[CURRENT]}" before="\${words[CURRENT-1]}"
  local -a reply candidates
  for word in "\${(@)words[2,CURRENT-1]}"; do
    _postrider_next "$at"
    (( \${reply[(I)$word:*]} )) && at="\${at:+$at }$word"
  done
  if [[ "$current" == --*=* ]]; then
    before="\${current%%=*}"
    compset -P '*='
  fi
  _postrider_values "$at $before"
  if (( \${#reply} )); then
    compadd -a reply
    return
  fi
  if [[ "$current" == --*=* ]]; then
    candidates=()
  elif [[ "$current" == -* ]]; then
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

function fishScript(...[nodes, globals, values]: Parameters<Script>): string {
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
function __postrider_values
  switch "$argv[1]"
${values.map((one) => `    case ${fishQuote(`${one.words} ${one.flag}`)}\n      ${fishValues(one)}`).join('\n')}
  end
end
function __postrider_complete
  set -l at ''
  set -l before (commandline -opc)
  for word in $before[2..-1]
    for known in (__postrider_next "$at")
      if test (string split -m 1 \\t -- $known)[1] = "$word"
        set at (string trim -- "$at $word")
      end
    end
  end
  set -l current (commandline -ct)
  if string match -qr -- '^--[^=]+=' "$current"
    set -l flag (string split -m 1 = -- "$current")[1]
    for value in (__postrider_values "$at $flag")
      echo "$flag=$value"
    end
    return
  end
  set -l values (__postrider_values "$at $before[-1]")
  if test (count $values) -gt 0
    printf '%s\\n' $values
  else if string match -q -- '-*' "$current"
    __postrider_flags "$at"
  else
    __postrider_next "$at"
  end
end
complete -c postrider -a '(__postrider_complete)'
complete -c postrider -n 'count (__postrider_complete) >/dev/null' -f
`;
}

function powershellScript(...[nodes, globals, values]: Parameters<Script>): string {
  const list = (entries: readonly Entry[]) => `@(${entries.map(({ word }) => powershellQuote(word)).join(', ')})`;
  const table = (rows: readonly string[]) => `@{\n${rows.map((row) => `  ${row}`).join('\n')}\n}`;
  return `$PostriderNext = ${table(withNext(nodes).map((node) => `${powershellQuote(node.words)} = ${list(nextOf(node))}`))}
$PostriderFlags = ${table(withFlags(nodes).map((node) => `${powershellQuote(node.words)} = ${list(flagsOf(node))}`))}
$PostriderGlobals = ${list(globals)}
$PostriderValues = ${table(values.map((one) => `${powershellQuote(`${one.words} ${one.flag}`)} = @(${one.values.map(powershellQuote).join(', ')})`))}
Register-ArgumentCompleter -Native -CommandName postrider -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $at = ''
  $before = ''
  foreach ($element in $commandAst.CommandElements | Select-Object -Skip 1) {
    if ($element.Extent.EndOffset -ge $cursorPosition) { break }
    $before = "$element"
    if ($PostriderNext[$at] -ccontains "$element") { $at = "$at $element".Trim() }
  }
  $values = $PostriderValues["$at $before"]
  if ($null -eq $values) { $values = $PostriderValues["* $before"] }
  $words = if (@($values).Count -gt 0 -and $null -ne $values) { @($values) } elseif ("$wordToComplete".StartsWith('-')) { @($PostriderFlags[$at]) + $PostriderGlobals } else { @($PostriderNext[$at]) }
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

/** The words that can follow: commands, or the values of an argument that has only a few. */
function nextOf({ next, command }: TreeNode): readonly Entry[] {
  const words = next.map(({ name, summary }) => ({ word: name, text: summary }));
  const [first] = command.registeredArguments;
  const [, choices] = /^One of: ([\w, ]+)\.$/.exec(first?.description ?? '') ?? [];
  const known = (first === undefined ? null : knownValues(first)) ?? choices?.split(', ') ?? [];
  return [...words, ...known.map((word) => ({ word, text: '' }))];
}

function flagsOf({ options }: TreeNode): readonly Entry[] {
  return options.flatMap(toEntries);
}

/** The first sentence is enough for a flag. */
function toEntries({ long, description }: Option): readonly Entry[] {
  const [text = ''] = description.split(/(?<=\.) |\n/);
  return long === undefined || long === null ? [] : [{ word: long, text: text.replace(/\.$/, '') }];
}

function shellPattern({ words, flag }: FlagValues): string {
  return words === '*' ? `*${quote(` ${flag}`)}` : quote(`${words} ${flag}`);
}

function fishValues({ values }: FlagValues): string {
  return values.length === 0 ? 'return' : `printf '%s\\n' ${values.map(fishQuote).join(' ')}`;
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

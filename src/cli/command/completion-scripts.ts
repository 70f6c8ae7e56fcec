/** A script for each shell: it asks `plinth __complete` for proposals, and falls back to names of files. */
export const completionScripts: Readonly<Record<string, string>> = {
  bash: `# bash completion of plinth: source <(plinth completion bash)
_plinth() {
  local words proposals
  # Bash takes a word apart at "=" and ":"; what is asked for is the word as it is typed.
  local line="\${COMP_LINE:0:COMP_POINT}"
  read -r -a words <<< "$line"
  [[ "$line" == *[[:space:]] ]] && words+=("")
  local unfinished="\${words[-1]}"
  mapfile -t proposals < <("\${words[0]}" __complete -- "\${words[@]:1}" 2>/dev/null | cut -f 1)
  # Readline replaces only what follows the last "=".
  [[ "$unfinished" == *=* ]] && proposals=("\${proposals[@]#"\${unfinished%%=*}="}")
  COMPREPLY=("\${proposals[@]}")
  # Fields of a secret are read from files: password=@FILE.
  if [[ \${#proposals[@]} -eq 0 && "$unfinished" == *=@* ]]; then
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -P @ -f -- "\${unfinished#*=@}")
  fi
}
complete -o bashdefault -o default -F _plinth plinth
`,
  zsh: `#compdef plinth
# zsh completion of plinth: put it into a folder of $fpath as _plinth
_plinth() {
  local -a proposals
  local line
  while IFS=$'\\t' read -r word about; do
    proposals+=("\${word//:/\\\\:}:$about")
  done < <("\${words[1]}" __complete -- "\${(@)words[2,$CURRENT]}" 2>/dev/null)
  if (( \${#proposals} )); then _describe 'plinth' proposals; else compset -P '*=(@|)'; _files; fi
}
if [[ "$funcstack[1]" == _plinth ]]; then _plinth "$@"; else compdef _plinth plinth; fi
`,
  fish: `# fish completion of plinth: put it into ~/.config/fish/completions as plinth.fish
function __plinth_complete
    set -l words (commandline -opc) (commandline -ct)
    $words[1] __complete -- $words[2..] 2>/dev/null
end
complete -c plinth -f -n 'count (__plinth_complete) >/dev/null' -a '(__plinth_complete)'
`,
}

import library from '@bomb.sh/tab';
import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';

/**
 * Script for bash from 3.2 on (macOS), which needs nothing else and can be read again. The library's calls functions of the package
 * bash-completion, makes variables that can be set once, and evaluates what was typed.
 */
const BASH = `# bash completion for leaderboard
_leaderboard_complete() {
    local words=() word i last reply value
    # bash splits words at = and :
    for ((i = 1; i <= COMP_CWORD; i++)); do
        word=\${COMP_WORDS[i]}
        last=$((\${#words[@]} - 1))
        if ((last >= 0)) && { [[ $word == [=:]* ]] || [[ \${words[last]} == *[=:] && -n $word ]]; }; then
            words[last]+=$word
        else
            words+=("$word")
        fi
    done
    local cur=\${words[\${#words[@]} - 1]}
    local split=\${cur%"\${cur##*[=:]}"}
    COMPREPLY=()
    while IFS= read -r reply; do
        value=\${reply%%$'\\t'*}
        # The last line, :4, says how to go on after the word.
        if [[ $value == "$cur"* && $value != :* ]]; then
            COMPREPLY+=("\${value#"$split"}")
        fi
    done < <(leaderboard complete -- "\${words[@]}" 2>/dev/null)
}
complete -o default -F _leaderboard_complete leaderboard
`;

/** Adds `completion`, which prints a shell's script, and `complete`, which such a script calls. */
export function completionCommands(program: Command): void {
  tab(program, { completionCommandName: 'completion' });
  const command = program.commands.find((one) => one.name() === 'completion')!;
  command.action((shell: string) => {
    if (shell === 'bash') process.stdout.write(BASH);
    else library.setup(program.name(), program.name(), shell);
  });
}

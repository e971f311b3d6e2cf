# The tab key in a zsh that somebody types into: prints the line as it stands afterwards.
# usage: zsh -f offers.zsh SCRIPT WORD...; SCRIPT is read first, "" where the installed one counts
zmodload zsh/zpty zsh/zselect
script=$1 line="${(j: :)@[2,-1]}" shown=$(mktemp)
zpty typed zsh -f -i
zpty -w typed "unsetopt beep; autoload -Uz compinit; compinit -u -D; ${script:+source ${(q)script}}"
# A key that writes the line down.
zpty -w typed "show() { print -r -- \$BUFFER >| $shown; BUFFER= }; zle -N show; bindkey '^X' show; print rea''dy"
zpty -r -m typed seen '*ready*' || exit 1
zpty -w -n typed "$line"$'\t\x18'
for ((i = 0; i < 600; i++)); do
    [[ ! -s $shown ]] || break
    zselect -t 10
done
cat $shown
rm -f $shown
zpty -d typed

# The tab key behind `loupe`, in bash: source <(loupe completion bash)
# Where there is nothing to offer, bash offers files.
_loupe() {
    local offer quoted rest
    COMPREPLY=()
    while IFS=$'\t' read -r offer rest; do
        [[ $offer == :* ]] && continue
        printf -v quoted %q "$offer"
        COMPREPLY+=("$quoted")
    done < <("${COMP_WORDS[0]}" completion offers "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _loupe loupe

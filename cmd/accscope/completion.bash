
# What the functions above take from the package bash-completion, where a shell has not
# loaded it.

__accscope_init_completion()
{
    COMPREPLY=()
    if declare -F _get_comp_words_by_ref >/dev/null; then
        _get_comp_words_by_ref "$@" cur prev words cword
        return
    fi
    # Bash breaks words also at = and :, where there is no space between them.
    local line=$COMP_LINE part i
    words=()
    for ((i = 0; i <= COMP_CWORD; i++)); do
        part=${COMP_WORDS[i]}
        if ((i > 0)) && [[ $line != [[:space:]]* ]]; then
            words[${#words[@]} - 1]+=$part
        else
            words+=("$part")
        fi
        line=${line#"${line%%[![:space:]]*}"}
        line=${line#"$part"}
    done
    cword=$((${#words[@]} - 1))
    cur=${words[cword]}
    prev=
    ((cword == 0)) || prev=${words[cword - 1]}
}

# _filedir suggests folders, and unless it is given -d, files: all of them, or those
# whose names end in a . and the pattern.
declare -F _filedir >/dev/null || _filedir()
{
    local name
    compopt -o filenames 2>/dev/null
    while IFS= read -r name; do
        if [[ -d $name || -z ${1-} || ${1-} != -d && $name == *.@($1) ]]; then
            COMPREPLY+=("$name")
        fi
    done < <(compgen -f -- "$cur")
}

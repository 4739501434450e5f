# Completion for fish of PROGRAM. complete.sh, in the directory above, finds the candidates.
set -g __brine_folder (dirname (dirname (realpath (status filename))))
test -r $__brine_folder/complete.sh; or set -g __brine_folder /usr/share/brine/completion

function __brine_complete
    set -l words (commandline -opc)
    set -l current (string trim -l -c "'\"" -- (commandline -ct))
    set -l found (sh $__brine_folder/complete.sh $words[1] "$current" $words[2..-1] 2>/dev/null)
    switch "$found[1]"
        case :files :dirs
            __fish_complete_path (string replace -r '^--[^=]*=' '' -- "$current")
        case '*'
            printf '%s\n' $found
    end
end

complete -c PROGRAM -f -a '(__brine_complete)'

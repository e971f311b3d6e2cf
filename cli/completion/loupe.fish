# The tab key behind `loupe`, in fish: loupe completion fish | source
function __loupe_offers
    set -l words (commandline -opc) (commandline -ct)
    for line in (command $words[1] completion offers $words[2..-1] 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path (commandline -ct)
            case :folders
                __fish_complete_directories (commandline -ct) ''
            case '*'
                echo $line
        end
    end
end
complete -c loupe -f -a '(__loupe_offers)'

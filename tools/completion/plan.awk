# What can follow on a command line, from the index beside this file: awk -f plan.awk PROGRAM CURRENT [WORD...]
# WORDs are those between the program and the CURRENT one. Prints candidates, "value TAB help" each, and as the last line what
# complete.sh adds: "none", "files", "dirs", "ids FOLDERS BEFORE PART", "groups - BEFORE PART", "roster - BEFORE PART" or
# "own FAMILY BEFORE PART", parted by TAB. Texts of the command line and of the index are compared and printed, never run.
BEGIN {
  FS = "\t"
  folder = ENVIRON["BRINE_COMPLETION"] "/index/"
  program = ARGV[1]
  current = ARGV[2]
  read_options(program)
  places = 0
  pending = ""
  nodegroup = 0
  bare = 0
  for (i = 3; i < ARGC; i++) read_word(ARGV[i])
  if (pending != "") value(pending, "", current)
  else if (!bare && current ~ /^--[^=]*=/) long_value()
  else if (!bare && current ~ /^-/) options()
  else position()
}

function read_options(name,   line, parts) {
  while ((getline line < (folder "options/" name)) > 0) {
    split(line, parts, "\t")
    kind[parts[1]] = parts[2]
    help[parts[1]] = parts[3]
    order[++count] = parts[1]
  }
}

# One word before the current one: an option, the value of one, or an argument.
function read_word(word) {
  if (pending != "") { pending = ""; return }
  if (bare || word !~ /^-./) {
    place[++places] = word
    if (program == "brine" && places == 1 && word ~ /^[a-z-]+$/) read_options("brine-" word)
    return
  }
  if (word == "--") bare = 1
  if (word == "-N" || word == "--nodegroup") nodegroup = 1
  if (kind[word] != "" && kind[word] != "flag") pending = kind[word]
}

function finish(directive, family, before, part) {
  print directive "\t" family "\t" before "\t" part
  exit
}

function say(text, about) { print text "\t" about }

function starts(text, beginning) { return substr(text, 1, length(beginning)) == beginning }

function options(   i) {
  for (i = 1; i <= count; i++) if (starts(order[i], current)) say(order[i], help[order[i]])
  finish("none")
}

function long_value(   at, flag) {
  at = index(current, "=")
  flag = substr(current, 1, at - 1)
  value(kind[flag], substr(current, 1, at), substr(current, at + 1))
}

function value(what, before, part,   words, n, i) {
  if (what ~ /^one:/) {
    n = split(substr(what, 5), words, " ")
    for (i = 1; i <= n; i++) if (starts(words[i], part)) say(before words[i], "")
    finish("none")
  }
  if (what ~ /^ids:/) finish("ids", substr(what, 5), before, part)
  if (what == "files" || what == "dirs") finish(what, "-", before, part)
  finish("none")
}

# What may follow the arguments that are there.
function position() {
  if (program == "brine") brine()
  if (program == "salt-key") finish("none")
  if (program == "salt-cp" && places > 0) finish("files", "-", "", current)
  if (program == "salt-run") call(0, "runners")
  if (program == "salt-call") call(0, "modules")
  if (program == "salt" || program == "salt-ssh" || program == "salt-cp") {
    if (places == 0) target()
    call(1, "modules")
  }
  finish("none")
}

function target() {
  after_comma()
  if (program == "salt-ssh") finish("roster", "-", before, part)
  if (nodegroup) finish("groups", "-", "", current)
  finish("ids", "minions", before, part)
}

# Parts a list: what is there, and the name that is begun.
function after_comma(   at) {
  part = current
  sub(/^.*,/, "", part)
  before = substr(current, 1, length(current) - length(part))
}

# A function after so many arguments, or the first argument of one that takes a name of the index.
function call(skipped, family) {
  if (places == skipped) { after_comma(); names(family) }
  before = ""; part = current
  if (places == skipped + 1) {
    if (place[places] == "state.single") names("states")
    if (place[places] == "sys.doc" || place[places] == "sys.argspec") names(family)
  }
  finish("none")
}

# Modules until one is named, then its functions.
function names(family,   line, n, module, seen, list, all) {
  n = 0
  while ((getline line < (folder family)) > 0) {
    if (!starts(line, part)) continue
    list[++all] = line
    module = substr(line, 1, index(line, "."))
    if (!(module in seen)) { seen[module] = 1; found[++n] = module }
  }
  if (index(part, ".") || n == 1) for (i = 1; i <= all; i++) say(before list[i], "")
  else for (i = 1; i <= n; i++) say(before found[i], "")
  finish("own", family, before, part)
}

function brine(   line, parts) {
  if (places > 0) finish("files", "-", "", current)
  while ((getline line < (folder "commands")) > 0) {
    split(line, parts, "\t")
    if (starts(parts[1], current)) say(parts[1], parts[2])
  }
  finish("none")
}

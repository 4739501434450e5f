// Completion in real shells: each completes command lines on a machine with hostile names.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeCompletion } from './completion.ts'

const home = mkdtempSync(join(tmpdir(), 'brine-completion-'))
const folder = join(home, 'completion')
const machine = join(home, 'machine')
const marker = join(home, 'ran')
const env = { PATH: process.env['PATH'], HOME: home, TERM: 'dumb', BRINE_COMPLETION_ROOT: machine }

/** Names that would run a command where a shell read them. */
const HOSTILE = [`$(touch ${marker.replaceAll('/', '_')})`, '`id`', '-rf', 'a b', "x';id;'", 'w\nid', 'we$(id)', '*']

const written = (path: string, text = ''): void => {
  mkdirSync(join(machine, path, '..'), { recursive: true })
  writeFileSync(join(machine, path), text)
}

beforeAll(async () => {
  await writeCompletion(join(import.meta.dirname, '..'), folder)
  for (const id of ['web1', 'web2', 'db:1', ...HOSTILE]) written(`etc/salt/pki/master/minions/${id}`)
  written('etc/salt/pki/master/minions_pre/new1')
  written(
    'etc/salt/master.d/groups.conf',
    `nodegroups:\n  edge: web*\n  $(touch ${marker}): x\n  core:\n    - db1\nother:\n  no: 1\n`,
  )
  written('etc/salt/roster', `box1:\n  host: 10.0.0.1\n$(touch ${marker}):\n  host: x\n`)
  written('srv/salt/_modules/shop.py', `def price(name):\n    return 1\n\n\ndef _hidden():\n    pass\n`)
  written(`srv/salt/_modules/$(touch ${marker.replaceAll('/', '_')}).py`, 'def x():\n    pass\n')
  written('own/salt/master', `pki_dir: ${join(machine, 'own/pki')}  # here\n`)
  written('own/pki/minions/other1')
})
afterAll(() => {
  expect(existsSync(marker)).toBe(false)
  rmSync(home, { recursive: true })
})

const has = (program: string): boolean => spawnSync(program, ['--version']).error === undefined

/** As readline calls the function; the last word is the one that is begun. */
function inBash(words: readonly string[]): string[] {
  const parts = words.flatMap((word, i) =>
    i > 0 ? word.split(/([=:])/).filter((part, at) => part !== '' || at === 0) : [word],
  )
  const script = `source "$1"; shift; COMP_LINE="$1"; shift; COMP_POINT=\${#COMP_LINE}; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _brine; printf '%s\\n' "\${COMPREPLY[@]}"`
  const last = words.at(-1)!
  // readline gives an empty word after a sign that parts words
  if (/[=:]$/.test(last)) parts.push('')
  const file = join(folder, 'bash', words[0]!)
  const out = execFileSync('bash', ['--norc', '-c', script, 'bash', file, words.join(' '), ...parts], {
    env,
    encoding: 'utf8',
  })
  const kept = last.slice(0, last.search(/[^=:]*$/))
  return out
    .split('\n')
    .filter(Boolean)
    .map((value) => kept + value)
}

const inFish = (words: readonly string[]): string[] => {
  const script = `source ${join(folder, 'fish', `${words[0]}.fish`)}; complete -C $argv[1]`
  const out = execFileSync(
    'fish',
    ['--no-config', '-c', script, words.map((word, i) => (i > 0 && /[*]/.test(word) ? `'${word}'` : word)).join(' ')],
    { env, encoding: 'utf8' },
  )
  return out
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split('\t')[0]!)
}

/** A separate terminal: the names that zsh offers for TAB, or else the last word of the line after it. */
function inZsh(words: readonly string[]): string[] {
  const line = words.map((word) => (/[*]/.test(word) ? `'${word}'` : word)).join(' ')
  const file = join(home, 'zsh-found')
  writeFileSync(file, '')
  writeFileSync(
    join(home, 'setup.zsh'),
    `PS1=; LISTMAX=10000; fpath=(${join(folder, 'zsh')} $fpath); autoload -U compinit; compinit -u -D
    compadd() { local -a found; [[ "$*" == *-[OAD]* ]] || builtin compadd -O found "$@"; print -rl -- "\${(@)found/#/FOUND:}" >> ${file}; builtin compadd "$@" }
    ask() { zle expand-or-complete; print -r -- "LINE:$BUFFER" >> ${file}; print END; BUFFER= }
    zle -N ask; bindkey '^T' ask; print READY\n`,
  )
  const script = `zmodload zsh/zpty; zpty shell 'zsh -f -i'; zpty -w shell "source $1"; zpty -r shell seen '*READY*'
    zpty -w -n shell "$2"$'\\C-t'; zpty -r shell seen '*END*'; zpty -d shell`
  execFileSync('zsh', ['-f', '-c', script, 'zsh', join(home, 'setup.zsh'), line], { env })
  const text = readFileSync(file, 'utf8')
  const found = [...text.matchAll(/^FOUND:(.+)$/gm)].map(([, name]) => name!)
  return found.length > 0 ? found : [/^LINE:.* (\S+)\s*$/m.exec(text)![1]!]
}

const SHELLS = { bash: inBash, fish: inFish, zsh: inZsh }

const CASES: readonly [string[], string[]][] = [
  [
    ['salt', ''],
    ['db:1', 'web1', 'web2'],
  ],
  [
    ['salt', 'we'],
    ['web1', 'web2'],
  ],
  [['salt', 'db:'], ['db:1']],
  [
    ['salt', '-L', 'web1,web'],
    ['web1,web1', 'web1,web2'],
  ],
  [
    ['salt', '-N', ''],
    ['core', 'edge'],
  ],
  [['salt', '-c', join(machine, 'own/salt'), ''], ['other1']],
  [
    ['salt', '*', 'pk'],
    ['pkg.', 'pkg_resource.', 'pkgbuild.'],
  ],
  [
    ['salt', '*', 'pkg.inst'],
    ['pkg.install', 'pkg.installed'],
  ],
  [['salt', '*', 'sho'], ['shop.']],
  [['salt', '*', 'shop.'], ['shop.price']],
  [['salt', '--out', 'json', '*', 'test.pin'], ['test.ping']],
  [['salt', '*', 'test.ping,test.pin'], ['test.ping,test.ping']],
  [['salt', '*', 'state.single', 'pkg.inst'], ['pkg.installed']],
  [['salt', '--out=js'], ['--out=json']],
  [
    ['salt', '--batch-s'],
    ['--batch-safe-limit', '--batch-safe-size', '--batch-size'],
  ],
  [
    ['salt-call', '--local', 'pkg.inst'],
    ['pkg.install', 'pkg.installed'],
  ],
  [['salt-run', 'jobs.a'], ['jobs.active']],
  [['salt-ssh', ''], ['box1']],
  [['salt-key', '-a', ''], ['new1']],
  [['salt-key', '-l', 'acc'], ['accepted']],
  [
    ['brine', 're'],
    ['render', 'restore'],
  ],
  [['brine', 'render', '--rend'], ['--renderer']],
]

describe.each(Object.entries(SHELLS))('completion in %s', (shell, ask) => {
  // a terminal for each line takes a while, so that zsh gets the lines that its file treats differently
  const cases = shell === 'zsh' ? CASES.filter((_, i) => [0, 6, 12, 13, 14].includes(i)) : CASES
  test.skipIf(!has(shell)).each(cases)('%j', (words, expected) => {
    expect(ask(words).sort()).toEqual(expected)
  })

  test.skipIf(!has(shell))('names of files follow options for files', () => {
    const names = ask(['salt-call', '--config-dir', `${machine}/et`]).map((path) => basename(path))
    expect(new Set(names)).toEqual(new Set(['etc']))
  })
})

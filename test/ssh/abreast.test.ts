// Parallel states over SSH: a tree ends like with sequential states, with the same results in the same order, for any
// relation between its paths.
import { spawnSync } from 'node:child_process'
import {
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { noSshd, startSshd, type TestSshd } from './sshd.ts'

if (noSshd) console.log(`States beside each other are not tested: ${noSshd}`)

const PROGRAM = join(import.meta.dirname, '..', '..', 'dist', 'salt-ssh.js')

type State = readonly [fun: string, args: Record<string, unknown>]

describe.skipIf(noSshd !== undefined)('states that may run beside each other', () => {
  const root = mkdtempSync(join(tmpdir(), 'brine-ssh-abreast-'))
  const target = join(root, 'target')
  const at = (name: string): string => join(target, name)
  let sshd: TestSshd

  beforeAll(async () => {
    for (const name of ['tree', 'etc']) mkdirSync(join(root, name))
    sshd = await startSshd()
    writeFileSync(
      join(root, 'tree', 'plain.jinja'),
      '{% for n in [1, 2] %}{{ grains.id }} {{ word }} {{ n }}\n{% endfor %}',
    )
    writeFileSync(join(root, 'tree', 'looks.jinja'), `{{ salt['file.file_exists']('${at('first')}') }} {{ word }}\n`)
    const { port, identity, knownHosts } = sshd
    const user = userInfo().username
    const options = { root_dir: root, cachedir: '/cache', file_roots: { base: [join(root, 'tree')] }, user }
    writeFileSync(join(root, 'etc', 'master'), JSON.stringify(options))
    const entry = { host: '127.0.0.1', port, user, priv: identity, ssh_options: [`UserKnownHostsFile=${knownHosts}`] }
    // events of states make them run one after the other
    const roster = { abreast: entry, single: { ...entry, minion_opts: { state_events: true } } }
    writeFileSync(join(root, 'etc', 'roster'), JSON.stringify(roster))
  })
  afterAll(async () => {
    await sshd?.stop()
    rmSync(root, { recursive: true, force: true })
  })

  /** Directories, links and files with several names that states come upon. */
  function prepare(): void {
    rmSync(target, { recursive: true, force: true })
    for (const name of ['real', 'other', 'full/below']) mkdirSync(at(name), { recursive: true })
    symlinkSync('real', at('alias'))
    symlinkSync('real/linked', at('leads'))
    writeFileSync(at('one'), 'before\n')
    linkSync(at('one'), at('two'))
    writeFileSync(at('full/below/file'), 'before\n')
  }

  function apply(id: string, states: readonly State[]): { results: unknown; left: unknown; roundTrips: number } {
    prepare()
    const high = states.map(([fun, args], i) => [
      `s${i}`,
      { [`file.${fun}`]: Object.entries(args).map(([k, v]) => ({ [k]: v })) },
    ])
    writeFileSync(join(root, 'tree', 'tree.sls'), JSON.stringify(Object.fromEntries(high)))
    const argv = [PROGRAM, '-c', join(root, 'etc'), '--out=json', '--static', '-l', 'debug', id, 'state.apply', 'tree']
    const { stdout, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8', timeout: 120_000 })
    const results = Object.entries(JSON.parse(stdout)[id] as Record<string, Record<string, unknown>>)
    const shown = results.map(([tag, { start_time: _, duration: __, ...rest }]) => [tag, rest])
    return {
      results: JSON.parse(JSON.stringify(shown).replaceAll('"single', '"abreast').replaceAll('single', 'abreast')),
      left: leftBelow(target, id),
      roundTrips: Number(/ took (\d+) round trips/.exec(stderr)?.[1]),
    }
  }

  const file = (name: string, more: object = {}): State => [
    'managed',
    { name: at(name), contents: `of ${name}`, mode: '0640', ...more },
  ]
  const rendered = (name: string, source = 'plain'): State => [
    'managed',
    { name: at(name), source: `salt://${source}.jinja`, template: 'jinja', context: { word: name } },
  ]
  const folder = (name: string, more: object = {}): State => ['directory', { name: at(name), makedirs: true, ...more }]
  const link = (name: string, end: string): State => ['symlink', { name: at(name), target: at(end) }]
  const gone = (name: string): State => ['absent', { name: at(name) }]

  test('wait for the target together where their places are apart', () => {
    const states = Array.from({ length: 12 }, (_, i) => (i % 2 === 0 ? file(`f${i}`) : rendered(`f${i}`)))
    const [abreast, single] = [apply('abreast', states), apply('single', states)]
    expect(abreast.results).toEqual(single.results)
    expect(abreast.left).toEqual(single.left)
    expect(abreast.roundTrips).toBeLessThan(single.roundTrips - 6)
  })

  test.each<[string, State[]]>([
    [
      'a directory under two names',
      [file('alias/x', { contents: 'a' }), file('real/x', { contents: 'b' }), gone('alias/x')],
    ],
    [
      'a file under two names',
      [file('one', { contents: 'a' }), file('two', { contents: 'b' }), file('one', { contents: 'c' })],
    ],
    [
      'a link to a file of the tree',
      [file('leads', { contents: 'a' }), file('real/linked', { contents: 'b' }), link('new', 'leads')],
    ],
    [
      'paths inside each other',
      [folder('d/e'), file('d/e/f'), gone('d'), folder('d'), file('d/g'), link('d/h', 'd/g')],
    ],
    [
      'what goes, and comes again',
      [gone('full'), file('full/below/file'), file('full/x', { makedirs: true }), gone('one'), file('one')],
    ],
    [
      'a template that looks at an earlier file',
      [file('first'), rendered('seen', 'looks'), gone('first'), rendered('unseen', 'looks')],
    ],
    [
      'failures, and what requires them',
      [
        ...[file('a'), file('missing/b'), file('c'), folder('one'), file('d', { require: [{ file: 's1' }] })],
        ...[
          file('e', { onchanges: [{ file: 's0' }] }),
          file('f', { onfail: [{ file: 's1' }] }),
          file('g', { require: [{ file: 's0' }] }),
        ],
        file('h', { user: 'nobody-of-that-name' }),
      ],
    ],
  ])('end as one after the other: %s', (_, states) => {
    const abreast = apply('abreast', states)
    const single = apply('single', states)
    expect(abreast.results).toEqual(single.results)
    expect(abreast.left).toEqual(single.left)
  })

  test.each([1, 2, 3])('end as one after the other with any paths, seed %i', (seed) => {
    const pick = choices(seed)
    const name = (): string =>
      pick([
        'a',
        'b',
        'alias/a',
        'real/a',
        'real',
        'd',
        'd/a',
        'd/e',
        'd/e/a',
        'one',
        'two',
        'leads',
        'full',
        'full/below',
      ])
    const makers = [file, rendered, folder, (path: string) => link(path, name()), gone]
    const states = Array.from({ length: 24 }, () => pick(makers)(name()))
    const [abreast, single] = [apply('abreast', states), apply('single', states)]
    expect(abreast.results).toEqual(single.results)
    expect(abreast.left).toEqual(single.left)
  })
})

/** Return the entries below a folder: kinds, modes and content. */
function leftBelow(folder: string, id: string): string[] {
  const names = readdirSync(folder, { recursive: true }).map(String).sort()
  return names.map((name) => {
    const path = join(folder, name)
    const stat = lstatSync(path)
    const mode = (stat.mode & 0o7777).toString(8)
    if (stat.isSymbolicLink()) return `${name} -> ${readlinkSync(path)}`
    return stat.isFile() ? `${name} ${mode} ${readFileSync(path, 'utf8').replaceAll(id, 'ID')}` : `${name} ${mode}`
  })
}

/** Choices that are the same for a seed each time. */
function choices(seed: number): <T>(from: readonly T[]) => T {
  let state = seed * 2654435761
  return (from) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return from[(state >>> 8) % from.length]!
  }
}

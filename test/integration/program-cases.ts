// The common options of every program, and an unreadable configuration: exit status and output as in Salt's programs
// (recorded by hand from Salt 3008.2; `test/conformance/cases/cli` has the rest).
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brineVersion, SALT_VERSION } from '../../src/base/mod.ts'
import { ABSENT_PROGRAMS, helpText, PROGRAMS, type Program, UsageError, usageComplaint } from '../../src/cli/mod.ts'
import { PATIENCE_SECONDS } from '../until.ts'

export interface ProgramCase {
  program: string
  words: readonly string[]
  /** The purpose of the words, for the name of the test. */
  what: string
  exit: number
  out: string | RegExp
  err: string | RegExp
  /** The beginning of stderr, before `err`. */
  warning?: string
}

export interface Ended {
  exit: number | null
  out: string
  err: string
}

/** Salt's programs that Brine has, each with words that make it read its configuration. */
const WORDS = {
  salt: ['web1', 'test.ping'],
  'salt-api': [],
  'salt-call': ['--local', 'test.ping'],
  'salt-cloud': ['-Q'],
  'salt-cp': ['web1', '/etc/hostname', '/tmp/hostname'],
  'salt-key': ['-L'],
  'salt-master': [],
  'salt-minion': [],
  'salt-proxy': ['--proxyid=sw1'],
  'salt-run': ['test.arg'],
  'salt-ssh': ['web1', 'test.ping'],
  'salt-syndic': [],
} satisfies Record<string, readonly string[]>

type SaltProgram = keyof typeof WORDS

export const SALT_PROGRAMS = Object.keys(WORDS) as readonly SaltProgram[]

const fileOf = (program: string): string =>
  /call|minion/.test(program) ? 'minion' : program === 'salt-proxy' ? 'proxy' : 'master'

const versions = (node: string): RegExp =>
  new RegExp(
    `^Salt Version:\n +Salt: ${SALT_VERSION}\n \nBrine Version:\n +Brine: ${brineVersion()}\n \nNode Version:\n +Node: ${node.replace(/^v/, '')}\n`.replaceAll(
      '.',
      '\\.',
    ),
  )

/** The cases that need no configuration: help, versions and an option that does not exist. */
export function optionCases(node: string): ProgramCase[] {
  const report = (program: string, flag: string): ProgramCase => ({
    ...{ program, words: [flag], what: flag, exit: 0, err: '' },
    out: versions(node),
  })
  const ofSalt = SALT_PROGRAMS.flatMap((program): ProgramCase[] => {
    const known = PROGRAMS.get(program)!
    const fine = { program, exit: 0, err: '' }
    return [
      ...['-h', '--help'].map((flag) => ({ ...fine, words: [flag], what: flag, out: helpText(known) })),
      { ...fine, words: ['--version'], what: '--version', out: `${program} ${SALT_VERSION} (Argon)\n` },
      ...['-V', '--versions-report'].map((flag) => report(program, flag)),
      refused(known, ['--bogus'], 'an option that does not exist', 'no such option: --bogus'),
    ]
  })
  const brine = { program: 'brine', exit: 0, err: '' }
  return [
    ...ofSalt,
    ...['-h', '--help'].map((flag) => ({ ...brine, words: [flag], what: flag, out: /^Usage: brine <command>/ })),
    { ...brine, words: ['--version'], what: '--version', out: `brine ${brineVersion()}\n` },
    ...['-V', '--versions-report'].map((flag) => report('brine', flag)),
    {
      ...{ program: 'brine', words: ['--bogus'], what: 'an option that does not exist', exit: 64, out: '' },
      err: /^Usage: brine <command>[\s\S]*\nbrine: error: no such command: --bogus\n$/,
    },
  ]
}

/** A program that Brine has not yet names what to use instead, on every call. */
export function unavailableCases(program: string): ProgramCase[] {
  const text = `${program}: ${ABSENT_PROGRAMS[program]}\n`
  const fine = { program, exit: 0, err: '' }
  return [
    { program, words: [], what: 'no words', exit: 69, out: '', err: text },
    { program, words: ['*', 'test.ping'], what: 'words for its work', exit: 69, out: '', err: text },
    { ...fine, words: ['-h'], what: '-h', out: `Usage: ${program} [-h] [-V] [--version]\n\n${text}` },
    { ...fine, words: ['--version'], what: '--version', out: `${program} ${SALT_VERSION} (Argon)\n` },
  ]
}

function refused(program: Program, words: string[], what: string, problem: string): ProgramCase {
  const err = usageComplaint(program, new UsageError(problem))
  return { program: program.name, words, what, exit: 64, out: '', err }
}

/** Configuration files that every program refuses, below `folder`. */
export function brokenCases(folder: string): ProgramCase[] {
  return SALT_PROGRAMS.flatMap((program): ProgramCase[] => {
    const file = fileOf(program)
    const place = (name: string, text: string | undefined): string => {
      mkdirSync(join(folder, name), { recursive: true })
      if (text === undefined) mkdirSync(join(folder, name, file), { recursive: true })
      else writeFileSync(join(folder, name, file), text)
      return join(folder, name, file)
    }
    const words = (name: string): string[] => ['-c', join(folder, name), ...WORDS[program]]
    const yaml = place('yaml', 'a: [\n')
    const list = place('list', '- a\n- b\n')
    const parse = `[ERROR   ] Error parsing configuration file: `
    const why = 'while parsing a flow node\ndid not find expected node content'
    return [
      {
        ...{ program, words: words('yaml'), what: 'broken YAML', exit: 1, out: '' },
        err: `${parse}${yaml} - ${why}\n  in "${yaml}", line 2, column 1\n`,
      },
      {
        ...{ program, words: words('list'), what: 'a list as configuration', exit: 1, out: '' },
        err: `${parse}${list} - conf should be a document, not <class 'list'>.\n`,
      },
      refused(
        PROGRAMS.get(program)!,
        words('folder'),
        'a folder as configuration file',
        `Failed to load configuration: [Errno 21] Is a directory: '${place('folder', undefined)}'`,
      ),
    ]
  })
}

const GONE = 'The salt master could not be contacted. Is master running?\n'
const NO_RIGHTS = /No permissions to access ".+", are you running as the correct user\?\n$/
const CANNOT_RUN = /^\[CRITICAL\] salt-\w+ cannot run: EACCES: /m

const NO_FOLDER = String.raw`EACCES: permission denied, mkdir '/\w+/\w+(/\w+)?'\n`
const NO_ID = String.raw`(\[ERROR   \] Could not cache minion ID: ${NO_FOLDER})?`
const NO_LOG = String.raw`(\[WARNING \] Failed to write the log file; trying again later: ${NO_FOLDER})?`
const NO_PROC = String.raw`(Cannot write to process directory\. .*\n)?`
const NO_API = String.raw`\[ERROR   \] Did not find any netapi configurations, nothing to start: set the option rest_cherrypy\n`

/** The results of a program of an ordinary user without a configuration, with the machine's defaults. */
const BY_DEFAULT: Readonly<Record<SaltProgram, Pick<ProgramCase, 'exit' | 'out' | 'err'>>> = {
  salt: { exit: 2, out: GONE, err: '' },
  'salt-api': { exit: 1, out: '', err: new RegExp(`^${NO_API}${NO_LOG}$`) },
  'salt-call': { exit: 0, out: 'local:\n    True\n', err: new RegExp(`^${NO_ID}${NO_LOG}${NO_PROC}$`) },
  'salt-cloud': { exit: 1, out: '', err: NO_RIGHTS },
  'salt-cp': { exit: 2, out: '', err: GONE },
  'salt-key': { exit: 1, out: '', err: NO_RIGHTS },
  'salt-master': { exit: 1, out: '', err: CANNOT_RUN },
  'salt-minion': { exit: 1, out: '', err: CANNOT_RUN },
  'salt-proxy': { exit: 1, out: '', err: CANNOT_RUN },
  'salt-run': { exit: 1, out: '', err: NO_RIGHTS },
  'salt-ssh': { exit: 1, out: '', err: NO_RIGHTS },
  'salt-syndic': { exit: 1, out: '', err: CANNOT_RUN },
}

/** A configuration directory that is not there, and files that the user cannot read; only for users other than root. */
export function absentCases(folder: string): ProgramCase[] {
  return SALT_PROGRAMS.flatMap((program): ProgramCase[] => {
    const closed = join(folder, 'closed')
    mkdirSync(closed, { recursive: true })
    writeFileSync(join(closed, fileOf(program)), 'broken: [\n')
    const missing = join(folder, 'missing')
    const warning = `WARNING: CONFIG '${missing}' directory does not exist.\n`
    const usual = { program, ...BY_DEFAULT[program] }
    return [
      { ...usual, words: ['-c', missing, ...WORDS[program]], what: 'no configuration directory', warning },
      { ...usual, words: ['-c', closed, ...WORDS[program]], what: 'an unreadable configuration file' },
    ]
  })
}

export interface Running {
  /** The Node to run them with. */
  node: string
  /** The folder of the built programs. */
  dist: string
  /** A folder for the files of a program without a configuration. */
  home: string
  /** Run as this user and group. */
  id?: number | undefined
}

/** Runs a program to its end; one that does not end by itself is killed. */
export function runProgram(running: Running, program: string, words: readonly string[]): Promise<Ended> {
  const { node, dist, home, id } = running
  mkdirSync(home, { recursive: true })
  for (const file of ['master', 'minion']) writeFileSync(join(home, file), JSON.stringify({ root_dir: home }))
  const { NODE_OPTIONS: _, ...env } = process.env
  const ids = id === undefined ? {} : { uid: id, gid: id, cwd: '/' }
  const child = spawn(node, [join(dist, `${program}.js`), ...words], {
    env: { ...env, HOME: home, SALT_CONFIG_DIR: home, NO_COLOR: '1' },
    timeout: PATIENCE_SECONDS * 1000,
    killSignal: 'SIGKILL',
    stdio: ['ignore', 'pipe', 'pipe'],
    ...ids,
  })
  const ended: Ended = { exit: null, out: '', err: '' }
  child.stdout.on('data', (text) => void (ended.out += text))
  child.stderr.on('data', (text) => void (ended.err += text))
  return new Promise((done, fail) => {
    child.once('error', fail)
    child.once('close', (exit) => done({ ...ended, exit }))
  })
}

/** Does something with each item, two at a time; the answers are in the order of the items. */
export async function inPairs<Item, Answer>(
  items: readonly Item[],
  work: (item: Item) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = []
  const left = [...items.entries()]
  const lane = async (): Promise<void> => {
    for (let next = left.shift(); next; next = left.shift()) answers[next[0]] = await work(next[1])
  }
  await Promise.all([lane(), lane()])
  return answers
}

const matches = (text: string, expected: string | RegExp): boolean =>
  typeof expected === 'string' ? text === expected : expected.test(text)

/** Return the difference from the case; undefined if there is none. */
export function difference({ exit, out, err, warning = '' }: ProgramCase, ended: Ended): string | undefined {
  const problems = [
    ended.exit === exit ? '' : `exit status ${ended.exit} instead of ${exit}`,
    matches(ended.out, out) ? '' : `stdout is ${JSON.stringify(ended.out)} instead of ${String(out)}`,
    ended.err.startsWith(warning) && matches(ended.err.slice(warning.length), err)
      ? ''
      : `stderr is ${JSON.stringify(ended.err)} instead of ${warning}${String(err)}`,
  ].filter(Boolean)
  return problems.length === 0 ? undefined : problems.join('\n')
}

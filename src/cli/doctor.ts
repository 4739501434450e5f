// `brine doctor`: which parts of an existing Salt installation will and will not work with Brine. It only reads; the
// checks run in a separate process under supervision.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { BrineError, toError } from '../base/mod.ts'
import {
  type Diagnosis,
  diagnose,
  type Finding,
  IGNORE_FILE,
  type IgnoreRule,
  isIgnoredFinding,
  jsonReport,
  readIgnoreFile,
  readRule,
  textReport,
  type WantedExamination,
} from '../doctor/mod.ts'
import { ProgressLine, palette } from '../output/mod.ts'
import { COMMAND_HELP, type CommandOptions, runCommand } from './brine-command.ts'
import { UsageError } from './optparse/exit.ts'
import type { Program } from './optparse/option.ts'
import { processStreams, type Streams } from './streams.ts'

export const PROGRAM: Program = {
  name: 'brine doctor',
  usage: '[options]',
  description: 'Say what of a Salt installation will and will not work with Brine. Nothing is changed.',
  options: [
    COMMAND_HELP,
    { flags: ['-c', '--config-dir'], metavar: 'DIR', help: 'configuration to read (default: /etc/salt)' },
    { flags: ['--root'], metavar: 'DIR', help: 'folder with a copy of the file system of the site (default: /)' },
    {
      flags: ['--file-root'],
      metavar: 'DIR',
      action: 'append',
      help: 'root of the state tree, in place of file_roots',
    },
    { flags: ['--pillar-root'], metavar: 'DIR', action: 'append', help: 'root of pillar, in place of pillar_roots' },
    {
      flags: ['--grains'],
      metavar: 'FILE',
      action: 'append',
      help: 'grains of a minion, or of several by id (YAML, JSON)',
    },
    { flags: ['--minion'], metavar: 'GLOB', help: 'compile only for these minions' },
    { flags: ['--online'], action: 'store_true', help: 'ask the running master and its minions as well' },
    { flags: ['--import'], action: 'store_true', help: 'import Python modules, which runs their code' },
    { flags: ['--json'], action: 'store_true', help: 'print JSON' },
    { flags: ['-q', '--quiet'], action: 'store_true', help: 'print errors and warnings only' },
    { flags: ['--strict'], action: 'store_true', help: 'end with status 1 for warnings too' },
    {
      flags: ['--ignore'],
      metavar: 'CODE',
      action: 'append',
      help: 'leave findings of this code out (CODE or CODE:GLOB)',
    },
    { flags: ['--ignore-file'], metavar: 'FILE', help: `lines of CODE [GLOB] (default: ./${IGNORE_FILE})` },
    {
      flags: ['--file-seconds'],
      metavar: 'N',
      type: 'int',
      default: 30,
      help: 'longest time for one file (default: 30)',
    },
  ],
  groups: [],
}

const NOTHING_FOUND = 0
const FOUND = 1
const COULD_NOT_RUN = 2
const MEGABYTES = 1536

/** `program` starts `brine` itself, whose worker runs the checks. */
export function run(
  argv: readonly string[],
  streams: Streams = processStreams,
  program = ownProgram(),
): Promise<number> {
  return runCommand(
    PROGRAM,
    argv,
    streams,
    async (words) => {
      const request = readRequest(words)
      const rules = readRules(words)
      const seconds = Number(words.text('file_seconds'))
      const diagnosis = await withProgress(request, { seconds, program, streams })
      const folder = resolve('.')
      const findings = diagnosis.findings.sorted().filter((one) => !isIgnoredFinding(one, rules, folder))
      return show(findings, diagnosis, words, streams)
    },
    COULD_NOT_RUN,
  )
}

function readRequest(words: CommandOptions): WantedExamination {
  if (words.args.length > 0) throw new UsageError(`unknown argument: ${words.args[0]}`)
  const list = (name: string): string[] => words.list(name).map((path) => resolve(path))
  const root = resolve(words.text('root') ?? '/')
  const [fileRoots, pillarRoots] = [list('file_root'), list('pillar_root')]
  for (const folder of [root, ...fileRoots, ...pillarRoots]) assertFolder(folder)
  const given = words.text('config_dir')
  const isTree = fileRoots.length > 0 || pillarRoots.length > 0
  if (given !== undefined) assertFolder(resolve(given))
  // roots by themselves are a tree without a daemon
  const configDir = given !== undefined ? resolve(given) : isTree && root === '/' ? '' : join(root, 'etc/salt')
  if (!isTree && !existsSync(configDir)) {
    throw new UsageError(`there is no ${configDir}: name a configuration with --config-dir, or roots with --file-root`)
  }
  const [isOnline, doesImport] = [words.flag('online'), words.flag('import')]
  if (isOnline && (isTree || root !== '/')) throw new UsageError('--online is for the configuration of this machine')
  return {
    configDir,
    root,
    fileRoots,
    pillarRoots,
    grains: list('grains'),
    minion: words.text('minion'),
    isOnline,
    doesImport,
  }
}

function assertFolder(path: string): void {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw new UsageError(`${path} is no directory`)
}

function readRules(words: CommandOptions): IgnoreRule[] {
  const named = words.text('ignore_file')
  const file = named ?? IGNORE_FILE
  const rules = words.list('ignore').map(givenRule)
  if (named === undefined && !existsSync(file)) return rules
  try {
    return [...rules, ...readIgnoreFile(readFileSync(file, 'utf8'), file)]
  } catch (error) {
    if (error instanceof BrineError) throw error
    throw new UsageError(`cannot read ${file}: ${toError(error).message}`)
  }
}

function givenRule(text: string): IgnoreRule {
  try {
    return readRule(text, '--ignore')
  } catch (error) {
    if (!(error instanceof BrineError)) throw error
    throw new UsageError([error.reason, error.hint].filter(Boolean).join('\n'))
  }
}

interface Running {
  /** For one file. */
  seconds: number
  program: readonly string[]
  streams: Streams
}

const ownProgram = (): string[] => [process.execPath, ...process.execArgv, process.argv[1]!]

async function withProgress(request: WantedExamination, { seconds, program, streams }: Running): Promise<Diagnosis> {
  const screen = { write: streams.err, columns: () => process.stderr.columns ?? 80, now: () => performance.now() }
  const line = streams.errTerminal ? new ProgressLine(screen) : undefined
  try {
    const command = [...program, 'doctor-worker']
    return await diagnose(request, { command, seconds, memory: MEGABYTES, progress: (step) => line?.update(step) })
  } finally {
    line?.clear()
  }
}

function show(
  findings: readonly Finding[],
  { counts, findings: all }: Diagnosis,
  words: CommandOptions,
  streams: Streams,
): number {
  const isQuiet = words.flag('quiet')
  const colors = palette(streams.terminal)
  const text = words.flag('json')
    ? jsonReport(findings, counts)
    : textReport(findings, counts, { colors, folder: resolve('.'), isQuiet })
  streams.out(text)
  if (all.dropped > 0) streams.err(`brine doctor: ${all.dropped} further findings were dropped\n`)
  const levels = words.flag('strict') ? ['error', 'warning'] : ['error']
  return findings.some(({ level }) => levels.includes(level)) ? FOUND : NOTHING_FOUND
}

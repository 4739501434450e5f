// Programs: every option of every program, and what programs print and exit with (cases/cli/README.md). What varies from
// run to run is written as the recordings write it.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  allOptions,
  type CliOption,
  destOf,
  EX_USAGE,
  PROGRAMS,
  type Program,
  ProgramExit,
  readCommandLine,
  type Streams,
  salt,
  saltCall,
  saltCp,
  saltKey,
  saltRun,
  takesValue,
  UsageError,
  usageComplaint,
} from '../../../src/cli/mod.ts'
import { fromPlain, type Value } from '../../../src/data/mod.ts'
import type { Area, Case, Json, Outcome } from '../area.ts'
import { site } from '../cli/site.ts'

interface Ended {
  exit: number
  stdout: string
  stderr: string
}

/** An option in the words of the recordings. */
function describe(option: CliOption): Record<string, unknown> {
  const { action = 'store', type, choices, default: fallback = null, nargs = 1, metavar = null } = option
  const isBare = action === 'help' || action === 'version'
  return {
    flags: [...option.flags],
    dest: isBare ? null : destOf(option),
    action: action === 'file' ? 'callback' : action,
    type: takesValue(option) ? (type ?? (choices ? 'choice' : 'string')) : null,
    nargs: takesValue(option) ? nargs : null,
    metavar,
    default: isBare ? null : fallback,
    choices: choices ? [...choices].sort() : null,
  }
}

function optionAnswer(program: Program, testCase: Case): Value {
  const wanted = JSON.stringify(testCase['flags'])
  const groups = [{ title: '', options: program.options }, ...program.groups]
  for (const { title, options } of groups) {
    const option = options.find(({ flags }) => JSON.stringify(flags) === wanted)
    if (option && title === testCase['section']) return fromPlain({ section: title, ...describe(option) })
  }
  return `${program.name} has ${allOptions(program).length} options, but not this one`
}

const STATES: Record<string, string> = {
  ok: 'a:\n  test.succeed_without_changes: []\n',
  fail: 'a:\n  test.fail_without_changes: []\n',
  change: 'a:\n  test.succeed_with_changes: []\n',
  bad: 'a: [\n',
  invalid: 'a: 1\n',
}

let root: string | undefined

/** Return the root of a separate minion, created once. */
function minionRoot(): string {
  if (root !== undefined) return root
  root = mkdtempSync(join(tmpdir(), 'brine-cli-'))
  for (const folder of ['conf', 'srv', 'pillar']) mkdirSync(join(root, folder))
  const roots = `file_roots: {base: [${root}/srv]}\npillar_roots: {base: [${root}/pillar]}\n`
  writeFileSync(join(root, 'conf/minion'), `root_dir: ${root}\nid: m1\n${roots}`)
  for (const [name, text] of Object.entries(STATES)) writeFileSync(join(root, 'srv', `${name}.sls`), text)
  return root
}

/** Programs that ask a master. */
const ASKING: Record<string, (argv: readonly string[], streams: Streams) => Promise<number>> = {
  salt,
  'salt-cp': saltCp,
  'salt-key': saltKey,
  'salt-run': saltRun,
}

async function end(program: Program, testCase: Case): Promise<Ended> {
  const argv = testCase['argv'] as string[]
  const asking = ASKING[program.name]
  const placed = (folder: string): string[] => argv.map((word) => word.replaceAll('<ROOT>', folder))
  if (program.name === 'salt-call') return ended(saltCall, ['-c', join(minionRoot(), 'conf'), ...placed(minionRoot())])
  try {
    readCommandLine(program, placed(minionRoot()), { version: '<VERSION> (<CODENAME>)' })
  } catch (error) {
    if (error instanceof UsageError) return { exit: EX_USAGE, stdout: '', stderr: usageComplaint(program, error) }
    if (error instanceof ProgramExit) return { exit: error.status, stdout: error.stdout, stderr: error.stderr }
    throw error
  }
  if (!asking) throw new Error(`There is no ${program.name} yet to run`)
  const { root: folder, config, configOfNone } = await site()
  const isReached = !String(testCase['situation']).startsWith('master not running')
  const { exit, stdout, stderr } = await ended(asking, ['-c', isReached ? config : configOfNone, ...placed(folder)])
  const written = (text: string): string => text.replaceAll(folder, '<ROOT>')
  return { exit, stdout: written(stdout), stderr: written(stderr) }
}

async function ended(
  run: (argv: readonly string[], streams: Streams) => Promise<number>,
  argv: string[],
): Promise<Ended> {
  const ended = { exit: 0, stdout: '', stderr: '' }
  ended.exit = await run(argv, {
    out: (text) => {
      ended.stdout += text
    },
    err: (text) => {
      ended.stderr += text
    },
    terminal: false,
  })
  return ended
}

/** Replace varying parts by the placeholders of the recordings. */
function normal(text: string): string {
  return text
    .replaceAll(minionRoot(), '<ROOT>')
    .replaceAll(hostname(), '<HOST>')
    .replace(/^(\S+) \d{4}\.\d+ \(\w+\)$/m, '$1 <VERSION> (<CODENAME>)')
    .replace(/(Started: )[\d:.]+/g, '$1<TIME>')
    .replace(/(Duration: )[\d.]+ ms/g, '$1<MS> ms')
    .replace(/(Total run time: )\s*[\d.]+ m?s/g, '$1<TIME>')
    .replace(/("__pub_pid": )\d+/g, '$1<VARIES>')
    .replace(/\b\d{20}\b/g, '<JID>')
    .trimEnd()
}

const isLogLine = (line: string): boolean => /^\[(?:[A-Z]+ *)\] /.test(line)

async function endAnswer(program: Program, testCase: Case): Promise<Value> {
  const { exit, stdout, stderr } = await end(program, testCase)
  const complaints = stderr.split('\n').filter((line) => line.trim() !== '' && !isLogLine(line))
  const answer: Record<string, Json> = {
    exit,
    stderr_last: (complaints.at(-1) ?? '').trimEnd().replaceAll(minionRoot(), '<ROOT>'),
  }
  if ('stdout' in testCase) answer['stdout'] = normal(stdout)
  // long texts are ours; that there is one counts
  else answer['stdout_kind'] = stdout === '' ? 'nothing' : (testCase['stdout_kind'] as string)
  return fromPlain(answer)
}

const FIELDS = ['section', 'flags', 'dest', 'action', 'type', 'nargs', 'metavar', 'default', 'choices']

const area: Area = {
  name: 'cli',
  recorded(testCase) {
    const names =
      'flags' in testCase ? FIELDS : ['exit', 'stderr_last', 'stdout' in testCase ? 'stdout' : 'stdout_kind']
    return { expect: Object.fromEntries(names.map((name) => [name, testCase[name] as Json])) }
  },
  async run(testCase: Case): Promise<Outcome> {
    const program = PROGRAMS.get(testCase['cli'] as string)!
    return { expect: 'flags' in testCase ? optionAnswer(program, testCase) : await endAnswer(program, testCase) }
  },
}

export default area

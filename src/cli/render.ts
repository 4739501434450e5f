// `brine render FILE`: renders an SLS file or a template with given grains, pillar and options, and prints the result.
// It neither reads nor changes anything else on the machine.
import { readFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { BrineError, brineVersion, consoleLog, isLogLevel, LOG_LEVELS, type Log, toError } from '../base/mod.ts'
import { type Dict, dumpJson, isDict, type Value } from '../data/mod.ts'
import { moduleTable, Registry } from '../loader/mod.ts'
import { type RenderOptions, renderFile, renderText } from '../render/mod.ts'
import { dump, load } from '../yaml/mod.ts'
import { complaint } from './complaint.ts'
import { EX_USAGE, ProgramExit, UsageError } from './optparse/exit.ts'
import { usageText } from './optparse/help.ts'
import type { Program } from './optparse/option.ts'
import { type Parsed, parseCommandLine } from './optparse/parse.ts'

export const PROGRAM: Program = {
  name: 'brine render',
  usage: 'FILE [options]',
  options: [
    { flags: ['-h', '--help'], action: 'help', help: 'show this help' },
    { flags: ['--renderer'], metavar: 'PIPE', help: "renderers for a file without a #! line (default: 'jinja|yaml')" },
    { flags: ['--grains'], metavar: 'FILE', help: 'grains, a YAML file' },
    { flags: ['--pillar'], metavar: 'FILE', help: 'pillar, an SLS file, rendered with the grains' },
    { flags: ['--context'], metavar: 'FILE', help: 'further template variables, a YAML file' },
    { flags: ['--opts'], metavar: 'FILE', help: 'minion options, a YAML file' },
    { flags: ['--file-root'], metavar: 'DIR', help: 'where imports and includes are looked up (default: here)' },
    { flags: ['--saltenv'], metavar: 'ENV', help: "environment (default: 'base')" },
    { flags: ['--sls'], metavar: 'NAME', help: "the SLS' name (default: from its place below the file root)" },
    {
      flags: ['--out'],
      metavar: 'FORM',
      choices: ['yaml', 'json'],
      help: "form of data (default: 'yaml'); text stays text",
    },
    { flags: ['-l', '--log-level'], metavar: 'LEVEL', choices: Object.keys(LOG_LEVELS), help: "default: 'warning'" },
  ],
  groups: [],
}

interface Request {
  file: string
  options: RenderOptions
  out: string
}

export async function run(argv: readonly string[]): Promise<number> {
  let parsed: Parsed | undefined
  try {
    parsed = parseCommandLine(PROGRAM, argv, brineVersion())
    const request = await readRequest(parsed)
    const { value } = await renderFile(request.file, request.options)
    process.stdout.write(print(value, request.out))
    return 0
  } catch (thrown) {
    if (thrown instanceof ProgramExit) {
      process.stdout.write(thrown.stdout)
      return thrown.status
    }
    if (thrown instanceof UsageError) {
      process.stderr.write(`${usageText(PROGRAM)}\nbrine render: error: ${thrown.message}\n`)
      return EX_USAGE
    }
    if (!(thrown instanceof BrineError)) throw thrown
    process.stderr.write(complaint(thrown, parsed?.args[0] ?? PROGRAM.name))
    return 1
  }
}

async function readRequest({ values, args }: Parsed): Promise<Request> {
  const text = (name: string): string | undefined => (values.get(name) ?? undefined) as string | undefined
  const [file, ...more] = args
  if (file === undefined || more.length > 0) throw new UsageError('name one file to render')
  assertReadable(file)
  const root = resolve(text('file_root') ?? '.')
  const saltenv = text('saltenv') ?? 'base'
  const grains = readDict(text('grains'))
  const opts = minionOptions(readDict(text('opts')), root, saltenv, grains)
  const shared = { opts, grains, saltenv, log: logAt(text('log_level') ?? 'warning') }
  const pillar = await readPillar(text('pillar'), shared)
  opts.set('pillar', pillar)
  const context = readDict(text('context')) as Map<string, Value>
  const renderer = text('renderer')
  const options: RenderOptions = {
    ...shared,
    pillar,
    context,
    functions: functionsFor(shared, pillar),
    strict: true,
    sls: text('sls') ?? slsName(file, root),
    ...(renderer === undefined ? {} : { renderer }),
  }
  return { file, options, out: text('out') ?? 'yaml' }
}

function readDict(file: string | undefined): Dict {
  if (file === undefined) return new Map()
  const value = loadFile(file) ?? new Map()
  if (!isDict(value)) throw new UsageError(`${file} holds no mapping`)
  return value
}

function loadFile(file: string): Value {
  const text = readText(file)
  try {
    return load(text)
  } catch (error) {
    if (error instanceof BrineError) error.at = { ...(error.at ?? { line: 1 }), file }
    throw error
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (thrown) {
    const reason = toError(thrown).message.replace(/^E[A-Z]+: ([^,]+),.*$/, '$1')
    throw new UsageError(`cannot read '${file}': ${reason}`)
  }
}

/** The pipeline takes a missing file for an empty one, as Salt does; on a command line it is a mistake. */
function assertReadable(file: string): void {
  readText(file)
}

function minionOptions(given: Dict, root: string, saltenv: string, grains: Dict): Dict {
  return new Map<Value, Value>([
    ['id', grains.get('id') ?? ''],
    ['file_client', 'local'],
    ['file_roots', new Map([[saltenv, [root]]])],
    ['renderer', 'jinja|yaml'],
    ['saltenv', saltenv],
    ...given,
    ['grains', grains],
  ])
}

type Shared = Pick<RenderOptions, 'opts' | 'grains' | 'log'> & { saltenv: string }

async function readPillar(file: string | undefined, shared: Shared): Promise<Dict> {
  if (file === undefined) return new Map()
  assertReadable(file)
  const empty: Dict = new Map()
  const options = { ...shared, pillar: empty, functions: functionsFor(shared, empty), isPillar: true, strict: true }
  const { value } = await renderFile(file, options)
  if (!isDict(value)) throw new UsageError(`${file} renders to no mapping`)
  return value
}

/** Return the functions for `salt['module.function']`; templates see pillar values unmasked. */
function functionsFor(shared: Shared, pillar: Dict): Registry {
  const { opts, grains } = shared
  const registry: Registry = new Registry(moduleTable, {
    opts,
    grains,
    pillar,
    masked: false,
    ownBackends: async () => (await import('../pybridge/mod.ts')).ownBackends,
    render: async ({ text, ...request }) => {
      const { value } = await renderText(text, { ...shared, ...request, pillar, functions: registry })
      return value
    },
  })
  return registry
}

/** `shop/init.sls` below the root is SLS `shop`; a file that is no SLS has no name. */
function slsName(file: string, root: string): string {
  const inside = relative(root, resolve(file))
  if (!inside.endsWith('.sls') || inside.startsWith('..')) return ''
  return inside
    .slice(0, -'.sls'.length)
    .replace(/(^|\/)init$/, '')
    .replaceAll('/', '.')
}

function logAt(level: string): Log {
  return consoleLog(isLogLevel(level) ? level : 'warning', (line) => process.stderr.write(line))
}

function print(value: Value, out: string): string {
  if (typeof value === 'string') return value
  if (out === 'json') return `${dumpJson(value, { indent: 4, ensureAscii: false })}\n`
  // knows the marked lists and maps of `yamlex`
  return dump(value, { dumper: 'serializer', default_flow_style: false, sort_keys: false })
}

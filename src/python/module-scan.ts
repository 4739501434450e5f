// Examines users' Python modules in a separate process without running them, or imports one of them with limits.
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { isAnyError, recover } from '../base/mod.ts'
import { interpreter, workerEnvironment, workerFile } from './interpreter.ts'

/** The findings about one file. */
export interface ScannedModule {
  file: string
  /** Why it could not be read. */
  problem?: string
  /** The parser's message, at `line`. */
  syntax?: string
  line?: number
  python2?: boolean
  missing?: MissingImport[]
  /** The exception of its import. */
  error?: string
}

export interface MissingImport {
  /** Whether it is a part of Salt or another package. */
  kind: 'salt' | 'package'
  name: string
  line: number
  /** Whether the module copes with its absence, or imports it only when a function is called. */
  guarded: boolean
}

const SECONDS = 150
const IMPORT_SECONDS = 30
const MOST_BYTES = 64 << 20

const scriptFile = (): string => join(dirname(workerFile()), 'module_scan.py')

/** Parse files and return the findings. `utils` are names of users' own modules below `salt.utils`. */
export function scanModules(
  python: string,
  files: readonly string[],
  utils: readonly string[],
): ScannedModule[] | string {
  const input = [utils, ...files].map((line) => `${JSON.stringify(line)}\n`).join('')
  const answer = started(python, ['scan'], SECONDS, input)
  if (typeof answer === 'string') return answer
  const found = answer.lines.flatMap((line) => parsed(line) ?? [])
  // the process ended at a file: it is left out, and the others are looked at
  const next = files[found.length]
  if (next === undefined) return found
  const rest = scanModules(python, files.slice(found.length + 1), utils)
  const ended: ScannedModule = { file: next, problem: 'Python ended while it read the file' }
  return typeof rest === 'string' ? [...found, ended] : [...found, ended, ...rest]
}

/** Import one file. */
export function importModule(python: string, file: string): ScannedModule {
  const answer = started(python, ['import', file], IMPORT_SECONDS, '')
  if (typeof answer === 'string') return { file, problem: answer }
  const [told] = answer.lines.flatMap((line) => parsed(line) ?? [])
  return told ?? { file, error: 'Python ended while it imported the file' }
}

function started(
  python: string,
  words: readonly string[],
  seconds: number,
  input: string,
): { lines: string[] } | string {
  const { error, stdout, status } = spawnSync(interpreter(python), [scriptFile(), ...words], {
    input,
    env: workerEnvironment(process.env),
    timeout: seconds * 1000,
    killSignal: 'SIGKILL',
    maxBuffer: MOST_BYTES,
    stdio: ['pipe', 'pipe', 'ignore'],
    encoding: 'utf8',
    cwd: '/',
  })
  if (error && status === null && stdout === null) return `${python} cannot be started: ${error.message}`
  if (error && (error as NodeJS.ErrnoException).code === 'ENOENT') return `${python} is not there`
  return { lines: (stdout ?? '').split('\n').filter((line) => line !== '') }
}

function parsed(line: string): ScannedModule | undefined {
  // a line that was cut when the process ended
  return recover(isAnyError, undefined, () => JSON.parse(line) as ScannedModule)
}

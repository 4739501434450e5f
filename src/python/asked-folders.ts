// Asks an entry point of a Salt extension for its folders, if its files do not show them: the entry point names a
// function, or only Python's import system finds its package. A separate process asks, which may hang, print or crash
// without harm.
import { spawnSync } from 'node:child_process'
import { dirname, isAbsolute, join } from 'node:path'
import { isAnyError, recover } from '../base/mod.ts'
import { workerEnvironment, workerFile } from './interpreter.ts'
import type { PythonInstallation } from './site-folders.ts'

const SECONDS = 20
const MOST_BYTES = 1 << 20

export interface AskedEntry {
  name: string
  module: string
  /** Empty when the entry point names a package. */
  attr: string
}

/** Return folders by kind, or the reason why there are none. */
export function askedFolders(
  installation: PythonInstallation,
  { name, module, attr }: AskedEntry,
): ReadonlyMap<string, string[]> | string {
  const { program } = installation
  const script = join(dirname(workerFile()), 'extension_folders.py')
  const { status, signal, error, output } = spawnSync(program, [script, name, module, attr], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    env: workerEnvironment(process.env, installation.extras),
    timeout: SECONDS * 1000,
    killSignal: 'SIGKILL',
    maxBuffer: MOST_BYTES,
    cwd: '/',
  })
  const point = attr === '' ? module : `${module}:${attr}`
  if (signal === 'SIGKILL' && error) return `the entry point ${point} took longer than ${SECONDS} seconds`
  if (error) return `${program} cannot be started: ${error.message}`
  const answer = parsed(String(output[3] ?? ''))
  if (answer)
    return answer.error ?? new Map(Object.entries(answer.folders ?? {}).map(([kind, all]) => [kind, paths(all)]))
  return `the entry point ${point} ended Python ${signal === null ? `with status ${status}` : `by ${signal}`}`
}

interface Told {
  folders?: Record<string, unknown>
  error?: string
}

function parsed(text: string): Told | undefined {
  // the process ended before it wrote its answer
  return recover(isAnyError, undefined, () => {
    const told: unknown = JSON.parse(text)
    return typeof told === 'object' && told !== null ? (told as Told) : undefined
  })
}

const paths = (all: unknown): string[] =>
  Array.isArray(all) ? all.filter((path): path is string => typeof path === 'string' && isAbsolute(path)) : []

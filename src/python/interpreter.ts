// The Python interpreter and its input: the worker's file is beside the sources, and inside dist/ after a build.
import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path'
import { installedFolder, isAnyError, recover } from '../base/mod.ts'

/** Written in by the build. */
declare const BRINE_VERSION: string | undefined

export function workerFile(): string {
  if (typeof BRINE_VERSION === 'string') return join(installedFolder('python'), 'worker.py')
  return new URL('../../python/worker.py', import.meta.url).pathname
}

/**
 * Return the absolute folders of a search path. Empty or relative entries mean the working directory: a user who can
 * write there could choose what a daemon of root runs.
 */
export const absoluteFolders = (path: string | undefined): string[] =>
  (path ?? '').split(delimiter).filter((folder) => isAbsolute(folder))

/** Return the environment of the worker, without the working directory in PYTHONPATH; `extras` is its last entry. */
export function workerEnvironment(env: NodeJS.ProcessEnv = process.env, extras?: string): NodeJS.ProcessEnv {
  const { PYTHONPATH: path, ...rest } = env
  const folders = [...absoluteFolders(path), ...(extras === undefined ? [] : [extras])]
  return folders.length === 0 ? rest : { ...rest, PYTHONPATH: folders.join(delimiter) }
}

/**
 * Return the program of a name. A pyenv shim is a script that takes longer to find the interpreter than the interpreter
 * takes to start, so its result is computed here.
 */
export function interpreter(name: string, env: NodeJS.ProcessEnv = process.env): string {
  if (name.includes('/')) return name
  for (const folder of absoluteFolders(env['PATH'])) {
    const found = join(folder, name)
    if (isProgram(found)) return behindShim(found, env) ?? found
  }
  return join('/usr/bin', name)
}

function behindShim(found: string, env: NodeJS.ProcessEnv): string | undefined {
  const folder = dirname(found)
  const root = dirname(folder)
  const chosen = join(root, 'version')
  if (basename(folder) !== 'shims' || !existsSync(chosen)) return undefined
  const [version] = (env['PYENV_VERSION'] ?? readFileSync(chosen, 'utf8')).split(/[\s:]/)
  const program = join(root, 'versions', version!, 'bin', basename(found))
  return isProgram(program) ? program : undefined
}

/** Return whether a path names a file that this user can run. */
export function isProgram(path: string): boolean {
  return recover(isAnyError, false, () => {
    accessSync(path, constants.X_OK)
    return true
  })
}

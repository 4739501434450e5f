// Which Python runs and what it is given: the worker's file lies beside the sources, and inside dist/ once they are built.
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
 * The folders of a search path. An empty or relative entry means the working directory: whoever can write there would
 * choose what a daemon of root runs.
 */
export const absoluteFolders = (path: string | undefined): string[] =>
  (path ?? '').split(delimiter).filter((folder) => isAbsolute(folder))

/** The environment of the worker, in which PYTHONPATH cannot mean the working directory; `extras` comes last in it. */
export function workerEnvironment(env: NodeJS.ProcessEnv = process.env, extras?: string): NodeJS.ProcessEnv {
  const { PYTHONPATH: path, ...rest } = env
  const folders = [...absoluteFolders(path), ...(extras === undefined ? [] : [extras])]
  return folders.length === 0 ? rest : { ...rest, PYTHONPATH: folders.join(delimiter) }
}

/**
 * The program that a name means. On a path that begins with pyenv's shims it is a script, which takes longer to find the
 * interpreter than that one takes to start; what it would find is known without it.
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

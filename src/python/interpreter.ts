// Which Python runs and what it is given: the worker's file lies beside the sources, and inside dist/ once they are built.
import { accessSync, constants, existsSync, readFileSync, realpathSync } from 'node:fs'
import { basename, delimiter, dirname, join } from 'node:path'

/** Written in by the build. */
declare const BRINE_VERSION: string | undefined

export function workerFile(): string {
  if (typeof BRINE_VERSION === 'string') return join(dirname(realpathSync(process.argv[1]!)), 'python', 'worker.py')
  return new URL('../../python/worker.py', import.meta.url).pathname
}

/**
 * The program that a name means. On a path that begins with pyenv's shims it is a script, which takes longer to find the
 * interpreter than that one takes to start; what it would find is known without it.
 */
export function interpreter(name: string, env: NodeJS.ProcessEnv = process.env): string {
  if (name.includes('/')) return name
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    const found = join(folder, name)
    if (isProgram(found)) return behindShim(found, env) ?? found
  }
  return name
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

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

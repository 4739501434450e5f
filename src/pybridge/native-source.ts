// Evaluates a file in TypeScript or JavaScript with its relative imports in this process. Each is converted to a script
// without types, line by line, so that places in errors are those of the file. Evaluated, not imported: Node keeps
// every imported module, and these are read again after each change.
import { readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join, resolve } from 'node:path'
import { compileFunction } from 'node:vm'
import { toError } from '../base/mod.ts'
import * as sdk from '../sdk/mod.ts'
import { NativeModuleError } from './native-error.ts'

const SDK = 'brine/sdk'

/** Endings that may be omitted in the name of an imported file. */
const ENDINGS = ['.ts', '.js', '.mts', '.mjs', '.cts', '.cjs', '.json']

type Exported = Record<string, unknown>

export interface EvaluatedFile {
  exported: Exported
  /** This file and all that it imported from beside it. */
  paths: string[]
}

/** Evaluate a file and return its exports. */
export async function evaluateFile(path: string): Promise<EvaluatedFile> {
  const modules = new Map<string, { exports: Exported }>()
  // few sites have such files
  const { toScript } = await import('./to-script.ts')
  const load = (file: string): Exported => {
    const known = modules.get(file)
    if (known) return known.exports
    const module = { exports: {} as Exported }
    modules.set(file, module)
    evaluate(file, toScript, module, load)
    return module.exports
  }
  try {
    return { exported: load(path), paths: [...modules.keys()] }
  } catch (error) {
    throw error instanceof NativeModuleError
      ? error
      : new NativeModuleError(path, lineIn(error, path), textOf(error), error)
  }
}

function evaluate(
  path: string,
  toScript: (text: string, path: string) => string,
  module: { exports: Exported },
  load: (file: string) => Exported,
): void {
  const text = readFileSync(path, 'utf8')
  if (extname(path) === '.json') {
    module.exports = JSON.parse(text)
    return
  }
  const packages = createRequire(path)
  const require = (name: string): unknown => {
    if (name === SDK) return sdk
    return /^\.{0,2}\//.test(name) ? load(located(path, name)) : packages(name)
  }
  const parameters = ['exports', 'require', 'module', '__filename', '__dirname']
  const body = compiled(path, () => compileFunction(toScript(text, path), parameters, { filename: path }))
  body(module.exports, require, module, path, dirname(path))
}

/** The function that a text was compiled to, or an error that names the place. */
function compiled<T>(path: string, compile: () => T): T {
  try {
    return compile()
  } catch (error) {
    if (error instanceof NativeModuleError) throw error
    throw new NativeModuleError(path, lineIn(error, path), textOf(error), error)
  }
}

/** Return the message of an error without its position, which the message has at both ends. */
const textOf = (error: unknown): string =>
  toError(error)
    .message.replace(/^Error transforming .*?: /, '')
    .replace(/ \(\d+:\d+\)$/, '')

/** The parser reports the place, the engine writes it into the stack. */
function lineIn(error: unknown, path: string): number {
  const { loc, stack } = error as { loc?: { line: number }; stack?: string }
  const at = stack?.indexOf(`${path}:`) ?? -1
  return loc?.line ?? (at < 0 ? 1 : Number.parseInt(stack!.slice(at + path.length + 1), 10) || 1)
}

/**
 * Return the file of an import; in the file server's tree the folder of shared modules is `_utils`, synced it is
 * `utils`.
 */
function located(from: string, name: string): string {
  const written = resolve(dirname(from), name)
  const synced = resolve(dirname(from), name.replace('../_utils/', '../utils/'))
  const found = [...candidates(written), ...candidates(synced)].find(isFile)
  if (found === undefined) throw new Error(`Cannot find '${name}', which ${from} imports`)
  return found
}

const candidates = (path: string): string[] => [
  path,
  ...ENDINGS.map((ending) => path + ending),
  path.replace(/\.([cm]?)js$/, '.$1ts'),
  ...ENDINGS.map((ending) => join(path, `index${ending}`)),
]

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false

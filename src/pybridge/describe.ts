// Describes Python files as modules of a family, by the worker's data. A file that hangs while it is read, or crashes
// Python, is logged and skipped.
import { statSync } from 'node:fs'
import type { Dict, Value } from '../data/mod.ts'
import { callPython, type Extension, type ModuleFile, PythonFailure, type Scope, WorkerError } from '../python/mod.ts'
import { type ModuleFacts, moduleFacts } from './declare.ts'
import { factsOnTarget, placed } from './places.ts'

/** Seconds that the reading of extensions may take: for all of a call, and for each file. */
const SECONDS = 30
const SECONDS_EACH = 5

/** Files of extensions that hung or crashed Python, with their time stamps; they are not tried again. */
const harmful = new Map<string, string>()

/** Extensions whose package hangs or crashes Python; a reinstalled one is a new object. */
const refused = new WeakSet<Extension>()

const stampOf = (path: string): string => String(statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? '')

const isHarmful = ({ path, extension }: ModuleFile): boolean =>
  (extension !== undefined && refused.has(extension)) || (harmful.has(path) && harmful.get(path) === stampOf(path))

/** Return the Python files as modules of a family, each where it runs. */
export async function describeModules(
  scope: Scope,
  family: string,
  files: readonly ModuleFile[],
): Promise<ModuleFacts[]> {
  const { here, onTarget } = await placed(scope, files)
  const all = await describeHere(scope, family, here)
  for (const module of onTarget) all.push(await factsOnTarget(scope, family, module))
  return all
}

/** Return the Python files as modules of a family. Without Python the list is empty. */
export async function describeHere(scope: Scope, family: string, files: readonly ModuleFile[]): Promise<ModuleFacts[]> {
  const tried = files.filter((file) => !isHarmful(file))
  if (tried.length === 0) return []
  try {
    return await loaded(scope, family, tried)
  } catch (error) {
    if (!isEnd(error)) throw error
    if (error instanceof WorkerError && error.code === 'PythonMissing') {
      scope.log('error', error.message)
      return []
    }
  }
  const all: ModuleFacts[] = []
  for (const file of await importable(scope, tried)) all.push(...(await describeOne(scope, family, file)))
  return all
}

async function describeOne(scope: Scope, family: string, file: ModuleFile): Promise<ModuleFacts[]> {
  try {
    return await loaded(scope, family, [file])
  } catch (error) {
    if (!isEnd(error)) throw error
    const { name, version } = file.extension ?? {}
    scope.log('error', file.extension ? `Salt extension ${name} ${version}: ${error.message}` : error.message)
    if (file.extension) harmful.set(file.path, stampOf(file.path))
    return []
  }
}

async function loaded(scope: Scope, family: string, files: readonly ModuleFile[]): Promise<ModuleFacts[]> {
  const what = `the loading of ${files.length > 1 ? family : files[0]!.path}`
  const installed = files.filter(({ extension }) => extension)
  const extensions: Dict = new Map(installed.map(({ path, extension }) => [path, wordsOf(extension!)]))
  const most = installed.length > 0 ? SECONDS + SECONDS_EACH * files.length : undefined
  const params = [family, files.map(({ path }) => path), extensions]
  const found = await callPython(scope, { method: 'load', params, what, most })
  return (found as Value[]).map((facts) => moduleFacts(facts))
}

const wordsOf = ({ package: root, name, version }: Extension): Value[] => [root, `${name} ${version}`]

/** Return the files whose extension can be imported without harm; mark the others, with one log line per extension. */
async function importable(scope: Scope, files: readonly ModuleFile[]): Promise<ModuleFile[]> {
  for (const extension of new Set(files.flatMap((file) => file.extension ?? []))) {
    const what = `the import of ${extension.package}`
    try {
      await callPython(scope, { method: 'extension', params: wordsOf(extension), what, most: SECONDS })
    } catch (error) {
      if (!isEnd(error)) throw error
      scope.log('error', `Salt extension ${extension.name} ${extension.version} cannot be loaded: ${error.message}`)
      refused.add(extension)
    }
  }
  return files.filter((file) => !isHarmful(file))
}

/** Whether the worker ended, or did not answer in time. */
const isEnd = (error: unknown): error is WorkerError | PythonFailure =>
  error instanceof WorkerError ||
  (error instanceof PythonFailure && error.code === ('TimeoutError' as typeof error.code))

// Users' own grains: every function of the files in `_grains`, each with the grains so far.
import { type Log, toError } from '../base/mod.ts'
import { type Dict, isDict, isList } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'
import { moduleTable, Registry } from '../loader/mod.ts'
import { callPython, type ModuleFile, type Scope, upstreamFiles, WorkerError } from '../python/mod.ts'
import { type ProxyAccess, toValue } from '../sdk/mod.ts'
import { describeHere } from './describe.ts'
import { familyFiles } from './family-files.ts'
import { functionScope } from './function-modules.ts'
import { absence, type CodePlaces, placed } from './places.ts'

export interface GrainsSurroundings {
  opts: Dict
  host: Host
  log: Log
  /** The device behind a proxy minion. */
  proxy?: ProxyAccess | undefined
}

/** Return the grains of users' functions, in order. */
export async function userGrains({ opts, host, log, proxy }: GrainsSurroundings, known: Dict): Promise<Dict[]> {
  const files = familyFiles(opts, 'grains', host.remote)
  const native = await nativeGrains({ opts, host, log }, known, files.native)
  const upstream = host.remote ? [] : upstreamFiles(opts, 'grains').filter(({ name }) => name !== 'core')
  if (files.python.length + upstream.length === 0) return native
  const functions = new Registry(moduleTable, { opts, grains: known, pillar: new Map(), host, log, proxy })
  const scope = functionScope(functions.ctx)
  const { here, onTarget } = await placed(scope, files.python)
  const own = await pythonGrains(scope, { here: await harmless(scope, here), onTarget }, known)
  return [...(await upstreamGrains(scope, upstream, [known, ...own, ...native])), ...own, ...native]
}

/** Return the grains that only a real Salt provides. */
async function upstreamGrains(scope: Scope, files: readonly ModuleFile[], known: readonly Dict[]): Promise<Dict[]> {
  const all: Dict = new Map(known.flatMap((part) => [...part]))
  const found = await pythonGrains(scope, { here: await harmless(scope, files), onTarget: [] }, all)
  return found.map((part) => new Map([...part].filter(([name]) => !all.has(name))))
}

/** Return the files that can be read without harm; those of users are not checked first. */
async function harmless(scope: Scope, files: readonly ModuleFile[]): Promise<ModuleFile[]> {
  const installed = files.filter(({ extension }) => extension)
  const read = new Set((await describeHere(scope, 'grains', installed)).map(({ path }) => path))
  return files.filter(({ path, extension }) => !extension || read.has(path))
}

/** Functions on this side come first; those of the target see their grains. */
async function pythonGrains(scope: Scope, { here, onTarget }: CodePlaces, known: Dict): Promise<Dict[]> {
  const parts: Dict[] = []
  const what = "users' grains"
  const ask = async (paths: readonly string[], place: { onTarget?: boolean }): Promise<void> => {
    const soFar: Dict = new Map([known, ...parts].flatMap((part) => [...part]))
    const found = await callPython(scope, { method: 'grains', params: [[...paths], soFar], what, ...place })
    if (isList(found)) parts.push(...found.filter(isDict))
  }
  const paths = here.map(({ path }) => path)
  if (here.length > 0) await ask(paths, {})
  if (onTarget.length === 0) return parts
  try {
    await ask(
      onTarget.map(({ path }) => path),
      { onTarget: true },
    )
  } catch (error) {
    if (!(error instanceof WorkerError)) throw error
    for (const module of onTarget) scope.log('error', absence(module, error))
  }
  return parts
}

/** Functions in TypeScript and JavaScript get the grains so far as their first argument. */
async function nativeGrains({ opts, log }: GrainsSurroundings, known: Dict, files: ModuleFile[]): Promise<Dict[]> {
  const parts: Dict[] = []
  for (const file of files) {
    try {
      const { nativeModule } = await import('./native-modules.ts')
      for (const { run, args } of Object.values((await nativeModule(file)).functions)) {
        const bound = Object.fromEntries(Object.keys(args).map((name) => [name, known]))
        const part = toValue(await run({ opts, grains: known }, bound))
        if (isDict(part)) parts.push(part)
      }
    } catch (error) {
      log('critical', `Failed to load grains of ${file.path}: ${toError(error).message}`)
    }
  }
  return parts
}

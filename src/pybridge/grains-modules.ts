// Users' own grains: every function of the files in `_grains`, each seeing what is known so far.
import { type Log, toError } from '../base/mod.ts'
import { type Dict, isDict, isList } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'
import { moduleTable, Registry } from '../loader/mod.ts'
import { callPython, type ModuleFile, moduleFiles, type Scope, WorkerError } from '../python/mod.ts'
import { toValue } from '../sdk/mod.ts'
import { functionScope } from './function-modules.ts'
import { absence, type Places, placed } from './places.ts'

export interface GrainsSurroundings {
  opts: Dict
  host: Host
  log: Log
}

/** What users' grains functions give, in order. */
export async function userGrains({ opts, host, log }: GrainsSurroundings, known: Dict): Promise<Dict[]> {
  const all = moduleFiles(opts, 'grains')
  const files = all.filter(({ language }) => language === 'python')
  const native = await nativeGrains(
    { opts, host, log },
    known,
    all.filter(({ language }) => language === 'native'),
  )
  if (files.length === 0) return native
  const functions = new Registry(moduleTable, { opts, grains: known, pillar: new Map(), host, log })
  const scope = functionScope(functions.ctx)
  const paths = files.map(({ path }) => path)
  return [...(await pythonGrains(scope, await placed(scope, paths), known)), ...native]
}

/** Those that can be told here come first; those of the target see them. */
async function pythonGrains(scope: Scope, { here, onTarget }: Places, known: Dict): Promise<Dict[]> {
  const parts: Dict[] = []
  const what = "users' grains"
  const ask = async (paths: readonly string[], place: { onTarget?: boolean }): Promise<void> => {
    const soFar: Dict = new Map([known, ...parts].flatMap((part) => [...part]))
    const found = await callPython(scope, { method: 'grains', params: [[...paths], soFar], what, ...place })
    if (isList(found)) parts.push(...found.filter(isDict))
  }
  if (here.length > 0) await ask(here, {})
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

/** Functions in TypeScript and JavaScript get what is known as their first argument. */
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

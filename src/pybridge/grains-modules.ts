// Users' own grains: every function of the files in `_grains`, each seeing what is known so far.
import { type Log, toError } from '../base/mod.ts'
import { type Dict, isDict, type Value } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'
import { moduleTable, Registry } from '../loader/mod.ts'
import { callPython, type ModuleFile, moduleFiles } from '../python/mod.ts'
import { toValue } from '../sdk/mod.ts'
import { functionScope } from './function-modules.ts'

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
  const paths = files.map(({ path }) => path)
  const what = "users' grains"
  const parts = await callPython(functionScope(functions.ctx), { method: 'grains', params: [paths, known], what })
  return [...(parts as Value[]).filter(isDict), ...native]
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

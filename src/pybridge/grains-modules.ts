// Users' own grains: every function of the files in `_grains`, each seeing what is known so far.
import type { Log } from '../base/mod.ts'
import { type Dict, isDict, type Value } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'
import { moduleTable, Registry } from '../loader/mod.ts'
import { callPython, moduleFiles } from '../python/mod.ts'
import { functionScope } from './function-modules.ts'

export interface GrainsSurroundings {
  opts: Dict
  host: Host
  log: Log
}

/** What users' grains functions give, in order. */
export async function userGrains({ opts, host, log }: GrainsSurroundings, known: Dict): Promise<Dict[]> {
  const files = moduleFiles(opts, 'grains').filter(({ language }) => language === 'python')
  if (files.length === 0) return []
  const functions = new Registry(moduleTable, { opts, grains: known, pillar: new Map(), host, log })
  const paths = files.map(({ path }) => path)
  const what = "users' grains"
  const parts = await callPython(functionScope(functions.ctx), { method: 'grains', params: [paths, known], what })
  return (parts as Value[]).filter(isDict)
}

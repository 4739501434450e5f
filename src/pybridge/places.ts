// Decides where users' Python modules run. For functions bound to a target over SSH, modules that only compute and call
// functions run on this side. A module that uses the machine itself runs on the target. Its text decides: the worker on
// this side examines it without running it.
import { type Dict, isDict, isList, str, type Value } from '../data/mod.ts'
import { callPython, type ModuleFile, moduleFolders, type Scope, WorkerError } from '../python/mod.ts'
import { type ModuleFacts, moduleFacts } from './declare.ts'

/** A module that runs on the target, according to its text. */
export interface TargetModule {
  path: string
  file: string
  /** The names that it may serve under. */
  names: string[]
  functions: string[]
  /** The part of it that needs the machine, such as `uses os.listdir in line 3`. */
  need: string
}

export interface CodePlaces {
  here: ModuleFile[]
  onTarget: TargetModule[]
}

export async function placed(scope: Scope, files: readonly ModuleFile[]): Promise<CodePlaces> {
  const surveyed = files.filter(({ extension, isHere }) => !extension && !isHere)
  if (!scope.remote || surveyed.length === 0) return { here: [...files], onTarget: [] }
  const params = [surveyed.map(({ path }) => path), moduleFolders(scope.opts, 'utils')]
  const found = (await callPython(scope, { method: 'survey', params, what: 'a look at modules' })) as Dict[]
  const needsNothing = (facts: Dict): boolean => facts.get('need') === null
  const here = new Set(found.filter(needsNothing).map((facts) => str(facts.get('path')!)))
  return {
    here: files.filter((file) => !surveyed.includes(file) || here.has(file.path)),
    onTarget: found.filter((facts) => !needsNothing(facts)).map(targetModule),
  }
}

function targetModule(facts: Dict): TargetModule {
  return {
    path: str(facts.get('path')!),
    file: str(facts.get('file')!),
    names: (facts.get('names') as Value[]).map(str),
    functions: (facts.get('functions') as Value[]).map(str),
    need: str(facts.get('need')!),
  }
}

/**
 * Return a module's data from the target; without Python there it is not available, and the reason names the remedy.
 */
export async function factsOnTarget(scope: Scope, family: string, module: TargetModule): Promise<ModuleFacts> {
  const { path, file } = module
  const params = [family, [path]]
  try {
    const what = `the loading of ${path} on the target`
    const found = await callPython(scope, { method: 'load', params, what, onTarget: true })
    const facts = isList(found) ? found[0] : undefined
    if (!facts || !isDict(facts)) throw new WorkerError('WorkerDied', `The target told nothing of ${path}`)
    // of its place only this side is believed
    const own = new Map(facts).set('path', path).set('file', file)
    return moduleFacts(own, { onTarget: true })
  } catch (error) {
    if (!(error instanceof WorkerError)) throw error
    return unserved(module, absence(module, error))
  }
}

/** Why a module cannot be had from the target. */
export const absence = ({ file, need }: TargetModule, { code, message }: WorkerError): string =>
  code !== 'PythonMissing'
    ? message
    : `${file}.py ${need}, so it runs on the target, but ${message}: install python3 (3.6 or newer) there, or call functions of __salt__ instead`

function unserved({ path, file, names }: TargetModule, reason: string): ModuleFacts {
  return { path, file, name: names[0] ?? file, aliases: [], doc: '', reason, functions: new Map() }
}

/** Return the facts of a module for one of the names in its text; under another name it is not available. */
export async function servedAs(scope: Scope, family: string, module: TargetModule, name: string): Promise<ModuleFacts> {
  const facts = await factsOnTarget(scope, family, module)
  if (facts.reason !== undefined || [facts.name, ...facts.aliases].includes(name)) return facts
  return unserved(module, `it serves as ${facts.name}`)
}

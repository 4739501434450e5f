// The option `engines` of a master or a minion: a list of names and of one-key dicts from a name to settings, or one
// dict. The setting `engine_module` names the engine, so that several entries can run the same engine.
import { rawOption } from '../config/mod.ts'
import { type Dict, isDict, isList, str, truthy, typeName, type Value } from '../data/mod.ts'

export interface ConfiguredEngine {
  /** The name it is configured under, and shown by. */
  name: string
  /** The name of the engine. */
  module: string
  settings: Map<string, Value>
  /** The problem with its settings. */
  problem?: string
}

export function configuredEngines(opts: Dict): ConfiguredEngine[] {
  const configured = rawOption(opts, 'engines')
  const listed: readonly Value[] = isDict(configured)
    ? [...configured].map(([name, settings]): Dict => new Map([[name, settings]]))
    : isList(configured)
      ? [...configured]
      : truthy(configured)
        ? [configured]
        : []
  return listed.map(engineOf)
}

function engineOf(entry: Value): ConfiguredEngine {
  if (!isDict(entry)) return { name: str(entry), module: str(entry), settings: new Map() }
  // of several names in one entry the first counts, as in Salt
  const [[key, given] = ['', null] as const] = [...entry] as Array<readonly [Value, Value]>
  const name = str(key)
  if (!isDict(given) && truthy(given)) {
    const problem = `its settings must be a mapping, not ${typeName(given)}`
    return { name, module: name, settings: new Map(), problem }
  }
  const settings = new Map([...(isDict(given) ? given : [])].map(([option, value]) => [str(option), value]))
  const module = settings.get('engine_module')
  settings.delete('engine_module')
  return { name, module: module === undefined ? name : str(module), settings }
}

/** Apply the settings of an engine `reactor` to the options of the reactor. */
export function applyReactorSettings(opts: Dict, settings: ReadonlyMap<string, Value>): void {
  for (const name of ['refresh_interval', 'worker_threads', 'worker_hwm']) {
    const value = settings.get(name) ?? null
    if (value !== null) opts.set(`reactor_${name}`, value)
  }
}

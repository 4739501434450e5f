// Users' own engines, as declarations that daemons start: files with a function `start`, which gets its settings as keywords.
// A file in TypeScript or JavaScript may also give a whole declaration (`defineEngine`) as its default export.
import { type Log, toError } from '../base/mod.ts'
import type { Value } from '../data/mod.ts'
import { type ModuleFile, moduleFiles } from '../python/mod.ts'
import { arg, bind, type EngineContext, type EngineDeclaration } from '../sdk/mod.ts'
import type { NativeModule } from './native-modules.ts'

/** By the names they are configured by; none costs the listing of a few folders. */
export async function userEngines({ opts, log }: EngineContext): Promise<Map<string, EngineDeclaration>> {
  const found = new Map<string, EngineDeclaration>()
  for (const file of moduleFiles(opts, 'engines')) {
    const engine = file.language === 'native' ? await nativeEngine(file, log) : undefined
    if (engine) found.set(engine.virtual ?? engine.name, engine)
  }
  return found
}

/** One that cannot be loaded is told of, and is not there. */
async function nativeEngine(file: ModuleFile, log: Log): Promise<EngineDeclaration | undefined> {
  const { nativeModule } = await import('./native-modules.ts')
  try {
    const module = await nativeModule(file)
    if (isDeclaration(module)) return { ...module, name: module.name ?? file.name }
    const { start } = module.functions
    if (!start) {
      log('error', `${file.path} has no function start, so that it is no engine`)
      return undefined
    }
    return {
      name: module.virtual ?? module.name,
      doc: module.doc,
      args: { settings: arg.open('What is configured') },
      start: async (ctx, { settings }) => {
        await start.run(ctx, bind(start, 'start', [], settings as ReadonlyMap<string, Value>))
      },
    }
  } catch (error) {
    log('error', toError(error).message)
    return undefined
  }
}

const isDeclaration = (module: NativeModule | EngineDeclaration): module is EngineDeclaration => 'start' in module

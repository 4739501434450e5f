// Users' own engines, as declarations that daemons start: files with a function `start`, which gets its settings as keywords.
// A file in TypeScript or JavaScript may also give a whole declaration (`defineEngine`) as its default export.
import { type Log, toError } from '../base/mod.ts'
import type { Value } from '../data/mod.ts'
import { engineTable } from '../loader/mod.ts'
import { type AnswerFamily, answersOf, callPython, type ModuleFile, type Scope, upstreamFiles } from '../python/mod.ts'
import { arg, bind, type EngineContext, type EngineDeclaration } from '../sdk/mod.ts'
import { functionFamily, textAnswers } from './answers.ts'
import { describeModules } from './describe.ts'
import { familyFiles, mayServe } from './family-files.ts'
import { functionScope } from './function-modules.ts'
import type { NativeModule } from './native-modules.ts'

/**
 * Return engines by configured name, those of extensions only if they may be the wanted one; without any, this costs
 * the listing of a few folders.
 */
export async function userEngines(ctx: EngineContext, wanted: string): Promise<Map<string, EngineDeclaration>> {
  const files = familyFiles(ctx.opts, 'engines')
  const found = new Map<string, EngineDeclaration>()
  const upstream = Object.hasOwn(engineTable, wanted) ? [] : upstreamFiles(ctx.opts, 'engines')
  const python = [...files.python, ...upstream].filter((file) => mayServe(file, wanted))
  // of several with one name the first serves
  for (const engine of (await pythonEngines(ctx, python)).reverse()) found.set(engine.name, engine)
  for (const file of files.native) {
    const engine = await nativeEngine(file, ctx.log)
    if (engine) found.set(engine.virtual ?? engine.name, engine)
  }
  return found
}

/** Return the context for Python: the functions of the minion, and beside a master its runners. */
async function engineScope(ctx: EngineContext): Promise<Scope> {
  const functions = await ctx.functions()
  const scope = functionScope(functions)
  const { master } = ctx
  if (!master) return { ...scope, opts: ctx.opts, ending: ctx.signal }
  const runner: AnswerFamily = {
    find: async (name) => {
      const doc = (await master.docs('runner')).get(name)
      return doc === undefined ? undefined : { doc }
    },
    names: async () => (await master.docs('runner')).keys(),
    call: (name, args, kwargs) => master.call(name, args, kwargs),
  }
  const answers = answersOf({ function: functionFamily(functions), runner }, textAnswers(functions))
  return { ...scope, opts: ctx.opts, ending: ctx.signal, answers }
}

async function pythonEngines(ctx: EngineContext, files: readonly ModuleFile[]): Promise<EngineDeclaration[]> {
  if (files.length === 0) return []
  const all = await describeModules(await engineScope(ctx), 'engines', files)
  return all.flatMap(({ name, doc, reason, functions }) => {
    const start = functions.get('start')
    if (!start) return []
    const { path, attr } = start.origin
    return {
      name,
      doc,
      args: { settings: arg.open('What is configured') },
      ...(reason !== undefined && { when: () => reason }),
      start: async (own, { settings }) => {
        const params = ['engines', path, attr, [], new Map(settings as ReadonlyMap<Value, Value>)]
        await callPython(await engineScope(own), { method: 'call', params, what: `the engine ${name}`, lasts: true })
      },
    } satisfies EngineDeclaration
  })
}

/** Load an engine; one that cannot be loaded is logged and skipped. */
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

// Users' own runners and wheel functions. Their files are checked before each call of a function of the master, and
// loaded again when a file was added, removed or changed.
import { statSync } from 'node:fs'
import type { Log } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, dictFrom, type Value } from '../data/mod.ts'
import type { MasterEntry, MasterRegistry } from '../loader/mod.ts'
import {
  type AnswerFamily,
  answersOf,
  callPython,
  type ModuleFile,
  moduleFiles,
  moduleFolders,
  type Scope,
} from '../python/mod.ts'
import type { MasterContext, MasterFunction, MasterModule } from '../sdk/mod.ts'
import { foundIn, textAnswers } from './answers.ts'
import { declaredParts, type FunctionFacts, type ModuleFacts, pythonArguments } from './declare.ts'
import { describeModules } from './describe.ts'
import { isListed } from './family-files.ts'
import { listedEntries, type UserEntry } from './function-modules.ts'
import { nativeEntries } from './native-entries.ts'
import { overlaid } from './overlay.ts'

export interface MasterRegistries {
  runner: MasterRegistry
  wheel: MasterRegistry
}

type Kind = keyof MasterRegistries

const FOLDERS = { runner: 'runners', wheel: 'wheel' } as const

function familyOf(registry: MasterRegistry, ctx: MasterContext): AnswerFamily {
  return {
    find: async (name) => (registry.has(name) ? foundIn(await registry.find(name)) : undefined),
    names: () => registry.names(),
    call: (name, args, kwargs) => registry.call(ctx, name, args, kwargs),
  }
}

/** Return the functions of a minion on the master's machine. */
const localFamily = (ctx: MasterContext): AnswerFamily => ({
  find: async (name) => {
    const doc = (await ctx.docs('function')).get(name)
    return doc === undefined ? undefined : { doc }
  },
  names: async () => (await ctx.docs('function')).keys(),
  call: (name, args, kwargs) => ctx.function(name, args, kwargs),
})

function masterScope(ctx: MasterContext, registries: MasterRegistries, kind: Kind): Scope {
  const { opts, memory, log } = ctx
  return {
    opts,
    grains: new Map(),
    pillar: new Map(),
    memory,
    log,
    facts: dictFrom({ utils: moduleFolders(opts, 'utils'), families: new Map([['__salt__', kind]]) }),
    answers: answersOf(
      {
        runner: familyOf(registries.runner, ctx),
        wheel: familyOf(registries.wheel, ctx),
        function: localFamily(ctx),
      },
      {
        ...textAnswers(ctx),
        jid_event: async ([data, tag]) => {
          const own = data as Map<Value, Value>
          if (tag === 'progress') await ctx.progress(own)
          else await ctx.fire(`salt/${kind === 'runner' ? 'run' : 'wheel'}/${ctx.jid}/${String(tag)}`, own)
          return true
        },
        targets: ([target, form, delimiter]) => {
          const { minions, missing } = ctx.targets(target!, String(form), String(delimiter))
          return dictFrom({ minions, missing })
        },
      },
    ),
  }
}

function functionOf(name: string, facts: FunctionFacts, registries: MasterRegistries, kind: Kind): MasterFunction {
  const { path, attr } = facts.origin
  const declaration: MasterFunction = declaredParts<MasterFunction>(facts, {
    run: (ctx, bound) => {
      const { args, kwargs } = pythonArguments(declaration, bound)
      const params = [FOLDERS[kind], path, attr, args, kwargs]
      return callPython(masterScope(ctx, registries, kind), { method: 'call', params, what: name })
    },
  })
  return declaration
}

function masterModule(facts: ModuleFacts, registries: MasterRegistries, kind: Kind): MasterModule {
  const { file, name, doc } = facts
  const own = facts.reason === undefined ? [...facts.functions] : []
  const functions = own.map(([fun, more]) => [fun, functionOf(`${name}.${fun}`, more, registries, kind)] as const)
  return { name: file, doc, functions: Object.fromEntries(functions) }
}

function entryOf(facts: ModuleFacts, registries: MasterRegistries, kind: Kind): UserEntry<MasterEntry> {
  const module = masterModule(facts, registries, kind)
  const entry = { functions: Object.keys(module.functions), load: async () => ({ default: module }) }
  return { file: facts.file, name: facts.name, entry }
}

/** The last loaded state of the files, and the running load, which all callers await. */
const seen = new WeakMap<MasterRegistry, { state: string; taken: Promise<void> }>()

/** The initial state of the files: with a real Salt behind them, even an empty folder must be loaded. */
const unread = (opts: Dict): string | undefined => (option(opts, 'python_upstream_modules') ? undefined : '')

/** The context of modules while they are examined: no function runs yet. */
const lookingScope = (opts: Dict, log: Log): Scope => ({
  opts,
  grains: new Map(),
  pillar: new Map(),
  memory: new Map(),
  log,
  facts: new Map([['utils', moduleFolders(opts, 'utils')]]),
  answers: answersOf({}),
})

/** Load users' own functions of the master in their present state. */
export async function refreshMasterModules(opts: Dict, log: Log, registries: MasterRegistries): Promise<void> {
  for (const kind of ['runner', 'wheel'] as const) {
    const registry = registries[kind]
    const files = moduleFiles(opts, FOLDERS[kind])
    const state = files.map(({ path }) => `${path}:${statSync(path, { throwIfNoEntry: false })?.mtimeMs}`).join('\n')
    const known = seen.get(registry)
    if (state !== (known?.state ?? unread(opts))) {
      const taken = takeIn(opts, log, registries, kind, files)
      seen.set(registry, { state, taken })
      // callers that wait for it get the error, later ones do not
      taken.catch(() => seen.set(registry, { state, taken: Promise.resolve() }))
    }
    await seen.get(registry)?.taken
  }
}

async function takeIn(
  opts: Dict,
  log: Log,
  registries: MasterRegistries,
  kind: Kind,
  files: readonly ModuleFile[],
): Promise<void> {
  const registry = registries[kind]
  const scope = lookingScope(opts, log)
  const read = files.filter((file) => file.language === 'python' && !isListed(file))
  const all = await describeModules(scope, FOLDERS[kind], read)
  const entries = all.map((facts) => entryOf(facts, registries, kind))
  const listed = files.filter(isListed).flatMap((file) =>
    listedEntries<MasterEntry>(scope, FOLDERS[kind], file, ({ functions }, load) => ({
      functions,
      load: async () => ({ default: masterModule(await load(), registries, kind) }),
    })),
  )
  const native = files.filter(({ language }) => language === 'native')
  const others = await nativeEntries<MasterModule, MasterEntry>(native, log, (module) => ({
    functions: Object.keys(module.functions),
    load: async () => ({ default: module }),
  }))
  const table = await overlaid(registry.builtIn, [...listed, ...entries, ...others])
  const isLacking = option(opts, 'python_upstream_modules')
  if (!isLacking) return registry.use(table)
  const { masterUpstream } = await import('./upstream-modules.ts')
  registry.use(masterUpstream(table, scope, FOLDERS[kind], (facts) => masterModule(facts, registries, kind)))
}

// Users' own states of Thorium: files of `_thorium`. In Python they see the register as `__reg__` and the events since
// the last turn as `__events__`; changes of the register are taken over when they return.
import { option } from '../config/mod.ts'
import { type Dict, isDict, isList, PyError, str, type Value } from '../data/mod.ts'
import { type Registry, type StateEntry, type StateTable, thoriumTable } from '../loader/mod.ts'
import { type AnswerFamily, answersOf, callPython, type Scope } from '../python/mod.ts'
import { type StateContext, type StateDeclaration, THORIUM_USER, thoriumOf } from '../sdk/mod.ts'
import { functionFamily, stateFamily, textAnswers } from './answers.ts'
import { describeModules } from './describe.ts'
import { familyFiles } from './family-files.ts'
import { functionScope } from './function-modules.ts'
import { nativeEntries } from './native-entries.ts'
import { overlaid } from './overlay.ts'
import { type StateInvoker, stateDeclaration, stateEntry, stateScope } from './state-modules.ts'

/** Runners, as separate calls. */
const runnerFamily = ({ runners, master }: StateContext): AnswerFamily => ({
  find: async (name) => ((await master?.parameters('runner', name)) ? { doc: '' } : undefined),
  names: () => runners.names(),
  call: async (name, args, kwargs) => {
    const outcome = await master?.call('runner', { name, args: [...args], kwargs, user: THORIUM_USER })
    if (outcome?.success === false) throw new PyError('RuntimeError', str(outcome.value))
    return outcome?.value ?? null
  },
})

function thoriumScope(ctx: StateContext): Scope {
  const { register, events } = thoriumOf(ctx)
  const scope = stateScope(ctx)
  const families = { function: functionFamily(ctx), state: stateFamily(ctx), runner: runnerFamily(ctx) }
  return {
    ...scope,
    facts: new Map<Value, Value>([...(scope.facts ?? []), ['reg', register], ['events', [...events]]]),
    answers: answersOf(families, textAnswers(ctx)),
  }
}

const callThorium: StateInvoker = async (ctx, { origin }, { what, args, kwargs = new Map() }) => {
  const params = [origin.path, origin.attr, args, kwargs]
  const answer = await callPython(thoriumScope(ctx), { method: 'thorium', params, what })
  const [value, left] = isList(answer) ? [...answer] : []
  const { register } = thoriumOf(ctx)
  register.clear()
  for (const [name, entry] of isDict(left!) ? left : new Map<Value, Value>()) register.set(name, entry)
  return value as Dict
}

/** Return the built-in states overridden by users' own; without any, this costs the listing of a few folders. */
export async function thoriumStates(registry: Registry): Promise<StateTable> {
  const { opts, log } = registry.ctx
  const files = familyFiles(opts, 'thorium')
  if (files.python.length + files.native.length === 0 && !option(opts, 'python_upstream_modules')) return thoriumTable
  const python = await describeModules(functionScope(registry.ctx), 'thorium', files.python)
  const native = await nativeEntries<StateDeclaration, StateEntry>(files.native, log, stateEntry)
  const own = python.map((facts) => ({
    file: facts.file,
    name: facts.name,
    entry: stateEntry(stateDeclaration(facts, callThorium)),
  }))
  const table = await overlaid(thoriumTable, [...own, ...native])
  if (!option(opts, 'python_upstream_modules')) return table
  const { filledTable } = await import('./upstream-modules.ts')
  return filledTable(table, functionScope(registry.ctx), 'thorium', (functions, load) => ({
    functions,
    load: async () => ({ default: stateDeclaration(await load(), callThorium) }),
  }))
}

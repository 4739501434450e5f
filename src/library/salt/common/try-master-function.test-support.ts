// Calls a runner or wheel function with the parts of a master that it uses.
import { silentLog } from '../../../base/mod.ts'
import { fromPlain, type Plain, toPlain, type Value } from '../../../data/mod.ts'
import { bind, type MasterContext, type MasterModule, toValue } from '../../../sdk/mod.ts'

export async function callOn(
  master: Partial<MasterContext>,
  module: MasterModule,
  name: string,
  ...args: Plain[]
): Promise<Plain> {
  const declaration = module.functions[name]
  if (!declaration) throw new Error(`'${module.name}' declares no '${name}'`)
  const ctx = { opts: new Map(), log: silentLog, ...master } as MasterContext
  return toPlain(toValue(await declaration.run(ctx, bind(declaration, name, args.map(fromPlain), new Map()))))
}

/** Return a data cache in memory: values by bank and key. */
export function memoryCache(banks: Record<string, Record<string, Plain>>): MasterContext['cache'] {
  const all = new Map(
    Object.entries(banks).map(([name, values]) => [
      name,
      new Map<string, Value>(Object.entries(values).map(([key, value]) => [key, fromPlain(value)])),
    ]),
  )
  return {
    bank: (name) => {
      const bank = all.get(name) ?? new Map<string, Value>()
      all.set(name, bank)
      return {
        fetch: (key) => bank.get(key),
        store: (key, value) => void bank.set(key, value),
        flush: (key) => void (key === undefined ? bank.clear() : bank.delete(key)),
        list: () => [...bank.keys()],
        updated: () => undefined,
      }
    },
  }
}

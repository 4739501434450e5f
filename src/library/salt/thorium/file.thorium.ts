// The register as a file, to see what is in it.
import { dirname } from 'node:path/posix'
import { type Dict, dumpJson, isDict, isList, iterate, PySet, str, type Value } from '../../../data/mod.ts'
import { arg, defineState, option, reportOn, state, thoriumOf } from '../../../sdk/mod.ts'

/** Sets as lists, since JSON has none; keys as text. */
function simple(value: Value): Value {
  if (isDict(value)) return new Map([...value].map(([key, item]): [Value, Value] => [str(key), simple(item)])) as Dict
  if (value instanceof PySet) return [...iterate(value)].map(simple)
  return isList(value) ? [...value].map(simple) : value
}

export default defineState({
  name: 'file',
  doc: 'Writes the register to disk.',
  functions: {
    save: state({
      doc: 'Writes the register as JSON to a file: below `thorium/saves` in the cache of the master, unless the name is a whole path.',
      args: {
        name: arg.string('The file'),
        filter: arg.boolean('Accepted for compatibility: sets are always written as lists', { default: false }),
      },
      run: async (ctx, { name }) => {
        const saves = `${option(ctx.opts, 'cachedir')}/thorium/saves`
        const path = name.startsWith('/') ? name : `${saves}/${name}`
        await ctx.host.makeDirectory(dirname(path), { parents: true })
        await ctx.host.write(path, dumpJson(simple(thoriumOf(ctx).register)))
        return reportOn(name)(true, '')
      },
    }),
  },
})

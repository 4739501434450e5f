// Writes the register to a file.
import { dirname } from 'node:path/posix'
import { dumpJson, isDict, isList, iterate, PySet, str, type Value } from '../../../data/mod.ts'
import { arg, defineState, option, reportOn, state, thoriumOf } from '../../../sdk/mod.ts'

/** Convert a value for JSON: sets to lists, keys to text. */
function simple(value: Value): Value {
  if (isDict(value)) return new Map([...value].map(([key, item]): [Value, Value] => [str(key), simple(item)]))
  if (value instanceof PySet) return [...iterate(value)].map(simple)
  return isList(value) ? [...value].map(simple) : value
}

export default defineState({
  name: 'file',
  doc: 'Write the register to disk.',
  functions: {
    save: state({
      doc: 'Write the register as JSON to a file: at an absolute path, or below `thorium/saves` in the cache of the master.',
      args: {
        name: arg.string('Path of the file'),
        filter: arg.boolean('Ignored: sets are always written as lists', { default: false }),
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

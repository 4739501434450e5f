// Environment variables of the minion. A dry run reports what would change with a result of true, as in Salt.
import { type Dict, dictEntries, equals, textOf, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

interface Wish {
  name: string
  value: Value
  false_unsets: Value
  clear_all: Value
  update_minion: Value
  permanent: Value
}

/** What setting these would change; false makes a variable empty, or removes it. */
function differences(wanted: Dict, current: ReadonlyMap<string, string>, wish: Wish): Dict {
  const changes: Dict = new Map()
  const gone = wish.false_unsets === true ? null : ''
  if (wish.clear_all === true) {
    for (const key of current.keys()) if (!wanted.has(key)) changes.set(key, gone)
  }
  for (const [key, value] of dictEntries(wanted)) {
    const held = current.get(textOf(key) ?? '')
    if (value !== false) {
      if (!equals(held ?? '', value)) changes.set(key, value)
    } else if (gone === null ? held !== undefined : held !== '') changes.set(key, gone)
  }
  return changes
}

async function setenv(ctx: StateContext, wish: Wish): Promise<StateReturn> {
  const { name, value } = wish
  const report = (result: boolean, changes: Value, comment: string): StateReturn => ({ name, changes, result, comment })
  const wanted = value instanceof Map ? value : new Map<Value, Value>([[name, value]])
  if (!(value instanceof Map) && value !== false && textOf(value) === undefined) {
    return report(false, new Map(), 'Environ value must be string, dict or False')
  }
  const changes = differences(wanted, await ctx.host.env(), wish)
  if (ctx.test) {
    const comment = changes.size > 0 ? 'will be changed' : 'are already set with the correct values'
    return report(true, changes, `Environ values ${comment}`)
  }
  if (changes.size === 0) return report(true, changes, 'Environ values were already set with the correct values')
  const { false_unsets, clear_all, update_minion, permanent } = wish
  const done = await ctx.call('environ.setenv', [wanted, false_unsets, clear_all, update_minion, permanent])
  if (!truthy(done)) return report(false, changes, 'Failed to set environ variables')
  return report(true, done, 'Environ values were set')
}

export default defineState({
  name: 'environ',
  doc: 'Set environment variables of the minion, for the commands it runs.',
  functions: {
    setenv: state({
      doc: 'Give variables their values.',
      args: {
        name: arg.string('The variable, when there is one value'),
        value: arg.any('Text, false, or values by variable'),
        false_unsets: arg.any('Whether false removes a variable; else it becomes empty', { default: false }),
        clear_all: arg.any('Whether all other variables are emptied or removed', { default: false }),
        update_minion: arg.flag('Whether the main minion process is told', { default: false }),
        permanent: arg.flag('For Windows: also in the registry', { default: false }),
      },
      run: setenv,
    }),
  },
})

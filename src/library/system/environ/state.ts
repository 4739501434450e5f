// State of environment variables of the minion. As in Salt, the result of a dry run is True.
import { type Dict, dictEntries, equals, textOf, truthy, type Value } from '../../../data/mod.ts'
import { arg, type Bound, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

type Request = Bound<typeof setenvArgs>

/** Return the changes; False empties or removes a variable. */
function differences(wanted: Dict, current: ReadonlyMap<string, string>, request: Request): Dict {
  const changes: Dict = new Map()
  const gone = request.false_unsets ? null : ''
  if (request.clear_all) {
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

async function setenv(ctx: StateContext, request: Request): Promise<StateReturn> {
  const { name, value } = request
  const report = (result: boolean, changes: Value, comment: string): StateReturn => ({ name, changes, result, comment })
  const wanted = value instanceof Map ? value : new Map<Value, Value>([[name, value]])
  if (!(value instanceof Map) && value !== false && textOf(value) === undefined) {
    return report(false, new Map(), 'Environ value must be string, dict or False')
  }
  const changes = differences(wanted, await ctx.host.env(), request)
  if (ctx.test) {
    const comment = changes.size > 0 ? 'will be changed' : 'are already set with the correct values'
    return report(true, changes, `Environ values ${comment}`)
  }
  if (changes.size === 0) return report(true, changes, 'Environ values were already set with the correct values')
  const { false_unsets, clear_all, update_minion, permanent } = request
  const done = await ctx.call('environ.setenv', [wanted, false_unsets, clear_all, update_minion, permanent])
  if (!truthy(done)) return report(false, changes, 'Failed to set environ variables')
  return report(true, done, 'Environ values were set')
}

const setenvArgs = {
  name: arg.string('Variable name, for a single value'),
  value: arg.any('Value as text, False, or a dict of values by name'),
  false_unsets: arg.flag('Whether False removes a variable instead of emptying it', { default: false }),
  clear_all: arg.flag('Whether to empty or remove all other variables', { default: false }),
  update_minion: arg.flag('Whether to notify the main minion process', { default: false }),
  permanent: arg.flag('Whether to write to the registry as well, on Windows', { default: false }),
}

export default defineState({
  name: 'environ',
  doc: 'Manage environment variables of the minion, which commands inherit.',
  functions: {
    setenv: state({ doc: 'Ensure the values of environment variables.', args: setenvArgs, run: setenv }),
  },
})

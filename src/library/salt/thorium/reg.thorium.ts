// Collects values of events in the register.
import { type Dict, dictFrom, float, isNumeric, numberOf, PySet, str, type Value } from '../../../data/mod.ts'
import { arg, defineState, meantEvents, reportOn, state, thoriumOf } from '../../../sdk/mod.ts'
import { entryOf } from './register.ts'

const name = arg.string('Name in the register')
const match = arg.string('Events: a glob of tags, or a regular expression')

/** Return a number, or the number in a text. */
function numberIn(value: Value | undefined): number | undefined {
  if (value === undefined || typeof value === 'boolean') return undefined
  const number = isNumeric(value) ? numberOf(value) : Number(str(value).trim() || Number.NaN)
  return number === undefined || Number.isNaN(number) ? undefined : number
}

export default defineState({
  name: 'reg',
  doc: 'Collect values of events in the register.',
  functions: {
    set: state({
      doc: 'Add a value of each event to a set.',
      args: { name, add: arg.string('Key of the value'), match },
      run: (ctx, { name, add, match }) => {
        const thorium = thoriumOf(ctx)
        const set = entryOf(thorium, name, () => new Map<Value, Value>([['val', new PySet()]])).get('val') as PySet
        const changes: Dict = new Map()
        for (const { said } of meantEvents(thorium, match)) {
          const value = said.get(add) ?? 'None'
          changes.set(add, value)
          set.add(value)
        }
        return reportOn(name)(true, '', changes)
      },
    }),
    list: state({
      doc: 'Append values of each event to a list, as a dict.',
      args: {
        name,
        add: arg.words('Keys of the values: a list, or text with commas'),
        match,
        stamp: arg.boolean('Add the time of the event as `time`', { default: false }),
        prune: arg.integer('Number of the last items to keep; 0 for all', { default: 0 }),
      },
      run: (ctx, { name, add, match, stamp, prune }) => {
        const thorium = thoriumOf(ctx)

        const entry = entryOf(thorium, name, () => new Map<Value, Value>([['val', []]]))
        const list = entry.get('val') as Value[]
        for (const { event, said } of meantEvents(thorium, match)) {
          const item: Dict = new Map()
          for (const key of add) if (said.has(key)) item.set(key, said.get(key)!)
          if (stamp && item.size > 0) item.set('time', event.get('_stamp') ?? '')
          list.push(item)
        }
        if (prune > 0) entry.set('val', list.slice(-Number(prune)))
        return reportOn(name)(true, '')
      },
    }),
    mean: state({
      doc: 'Update the mean of a number in all events so far. Values that are not numbers are skipped.',
      args: { name, add: arg.string('Key of the number'), match },
      run: (ctx, { name, add, match }) => {
        const thorium = thoriumOf(ctx)
        const fresh = (): Dict => dictFrom({ val: 0, total: 0, count: 0 })
        const entry = entryOf(thorium, name, fresh)
        for (const { said } of meantEvents(thorium, match)) {
          const number = numberIn(said.get(add))
          if (number === undefined) continue
          const total = (numberOf(entry.get('total')!) ?? 0) + number
          const count = (numberOf(entry.get('count')!) ?? 0) + 1
          entry
            .set('total', total)
            .set('count', count)
            .set('val', float(total / count))
        }
        return reportOn(name)(true, '')
      },
    }),
    clear: state({
      doc: 'Clear the value of a name.',
      args: { name },
      run: (ctx, { name }) => {
        const entry = thoriumOf(ctx).register.get(name)
        if (entry instanceof Map) entry.clear()
        return reportOn(name)(true, '')
      },
    }),
    delete: state({
      doc: 'Remove a name.',
      args: { name },
      run: (ctx, { name }) => {
        thoriumOf(ctx).register.delete(name)
        return reportOn(name)(true, '')
      },
    }),
  },
})

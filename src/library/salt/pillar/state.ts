// Asserts values of the pillar. The pillar comes from the master, so these states change nothing: they fail if it
// differs from the wanted one. Comments name the places of differences, but never the values, which may be secrets.
import { equals, isDict, isList, str, traverse, tuple, typeName, type Value } from '../../../data/mod.ts'
import { arg, defineState, reportOn, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

const NOTHING = tuple([])

const name = arg.string('Path of the value, such as `database:password`')
const delimiter = arg.string('Delimiter of the path', { default: ':' })

const find = ({ pillar }: StateContext, path: string, delimiter: string): Value =>
  traverse(pillar, path, { default: NOTHING, delimiter })

/** The most places that a comment names. */
const MOST_PLACES = 10

/** Yield the places where two values differ, and how, without the values. */
function* differences(is: Value, wanted: Value, path: string, delimiter: string): Generator<string> {
  if (isDict(is) && isDict(wanted)) {
    const within = (key: Value): string => `${path}${delimiter}${str(key)}`
    for (const [key, value] of wanted) {
      if (is.has(key)) yield* differences(is.get(key)!, value, within(key), delimiter)
      else yield `${within(key)} is not there`
    }
    for (const key of is.keys()) if (!wanted.has(key)) yield `${within(key)} is not expected`
  } else if (isList(is) && isList(wanted)) {
    if (is.length !== wanted.length) yield `${path} has ${is.length} items, not ${wanted.length}`
    else
      for (const [i, value] of wanted.entries()) yield* differences(is[i]!, value, `${path}${delimiter}${i}`, delimiter)
  } else if (!equals(is, wanted)) {
    const [has, should] = [typeName(is), typeName(wanted)]
    yield has === should ? `${path} has another value` : `${path} is of type ${has}, not ${should}`
  }
}

interface Wanted {
  name: string
  value: Value
  delimiter: string
}

function present(ctx: StateContext, { name, value, delimiter }: Wanted): StateReturn {
  const report = reportOn(name)
  const is = find(ctx, name, delimiter)
  if (is === NOTHING) return report(false, `Pillar ${name} is not there`)
  if (value === null) return report(true, `Pillar ${name} is there`)
  const found = [...differences(is, value, name, delimiter)]
  if (found.length === 0) return report(true, `Pillar ${name} has the value`)
  const further = found.length > MOST_PLACES ? `; and ${found.length - MOST_PLACES} more` : ''
  return report(false, `Pillar ${name} does not have the value: ${found.slice(0, MOST_PLACES).join('; ')}${further}`)
}

export default defineState({
  name: 'pillar',
  doc: 'Assert values of the pillar. Nothing is changed; a pillar that is not as wanted fails the state.',
  functions: {
    present: state({
      doc: 'Ensure that the pillar has a value.',
      args: { name, value: arg.any('Value of any type. Default: any value will do', { optional: true }), delimiter },
      run: present,
    }),
    absent: state({
      doc: 'Ensure that the pillar does not have a key.',
      args: { name, delimiter },
      run: (ctx, { name, delimiter }) => {
        const isThere = find(ctx, name, delimiter) !== NOTHING
        return reportOn(name)(!isThere, isThere ? `Pillar ${name} is there` : `Pillar ${name} is not there`)
      },
    }),
  },
})

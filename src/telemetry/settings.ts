// The blocks `metrics` and `tracing` of Salt 3008, as read from the options.
import { type Log, shownText } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isDict, isList, numberOf, repr, str, truthy, type Value } from '../data/mod.ts'

/** Return a block if it is switched on. */
export function switchedOn(opts: Dict, name: 'metrics' | 'tracing'): Dict | undefined {
  const settings = option(opts, name)
  return truthy(settings.get('enabled') ?? false) ? settings : undefined
}

/** Return the name of the exporter of a block. */
export const exporterOf = (settings: Dict): string => str(settings.get('exporter') ?? 'otlp-http').toLowerCase()

/** Buckets in milliseconds, where the options have none. */
const DURATIONS = [1, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000]

/** Return the upper bounds of the buckets of a histogram. */
export function boundariesOf(opts: Dict, name: string, log: Log): readonly number[] {
  const all = option(opts, 'metrics').get('histogram_boundaries') ?? null
  const given: Value = isDict(all) ? (all.get(name) ?? null) : null
  if (given === null) return DURATIONS
  const numbers = isList(given) ? given.map(numberOf).filter((number) => number !== undefined) : []
  if (isList(given) && numbers.length > 0 && numbers.length === given.length) return numbers
  log(
    'warning',
    `Ignoring metrics:histogram_boundaries:${name}, which is not a list of numbers: ${shownText(repr(given))}`,
  )
  return DURATIONS
}

/** Names of functions; any other text is not used as a label. */
const FUNCTION = /^[\w.-]{1,100}$/

/** Return the function of a job as a label: several are joined by commas. */
export function functionLabel(fun: Value): string {
  const names = isList(fun) ? fun.map(str) : [str(fun)]
  return names.length > 0 && names.length <= 10 && names.every((name) => FUNCTION.test(name))
    ? names.join(',')
    : 'other'
}

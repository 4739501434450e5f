// The arguments of a function of the master in commands of programs, in the same form for authorisation and for the
// call.
import { type Dict, isDict, isList, isProof, str, textOf, type Value } from '../data/mod.ts'

/** Fields of a command that are no arguments of the function; credentials are none either. */
const OWN = new Set([
  'cmd',
  'fun',
  'eauth',
  'username',
  'user',
  'client',
  'full_return',
  'print_event',
  'arg',
  'kwarg',
  'kwargs',
  'traceparent',
  'tracestate',
])

/**
 * Return `arg` and `kwarg`, or, in the old form, the keywords beside the command's own. Salt's `RunnerClient` puts both
 * in `kwarg`.
 */
export function argumentsOf(load: Dict): { args: Value[]; kwargs: Map<string, Value> } {
  const inner = load.get('kwarg') ?? null
  if (isDict(inner) && inner.has('arg') && inner.has('kwarg')) {
    return argumentsOf(new Map([...inner].filter(([name]) => name === 'arg' || name === 'kwarg')))
  }
  const arg = load.get('arg')
  const args: Value[] = arg === undefined ? [] : isList(arg) ? [...arg] : [arg]
  const kwargs = new Map<string, Value>()
  const add = (more: Value | undefined): void => {
    if (more !== undefined && isDict(more)) for (const [name, value] of more) kwargs.set(str(name), value)
  }
  add(load.get('kwarg') ?? load.get('kwargs'))
  if (!load.has('arg') && !load.has('kwarg')) {
    for (const [name, value] of load) {
      if (!isProof(name) && !OWN.has(textOf(name) ?? '')) kwargs.set(str(name), value)
    }
  }
  return { args, kwargs }
}

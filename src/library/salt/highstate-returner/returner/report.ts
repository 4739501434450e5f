// The report of a highstate as lists of entries: statistics, the job, and each state in the order of the run. Entries
// have a style for HTML.
import { type Dict, Float, isDict, numberOf, order, sorted, str, truthy, type Value } from '../../../../data/mod.ts'

export type Options = Readonly<Record<string, Value>>

export interface Report {
  entries: Value[]
  failed: number
}

const entry = (name: Value, value: Value, style?: string): Dict => {
  const made: Dict = new Map([[name, value]])
  return style === undefined ? made : made.set('__style__', style)
}

/** Convert a dict, with nested dicts, to a list of its entries. */
export function entriesOf(data: Value): Value {
  if (!isDict(data)) return data
  const names = sorted([...data.keys()])
  return names.map((name) => entry(name, isDict(data.get(name)!) ? entriesOf(data.get(name)!) : data.get(name)!))
}

function stateEntry(tag: Value, data: Dict): Dict {
  const [module, id, name, fun] = str(tag).split('_|-')
  const result = data.get('result') ?? ''
  const entries: Value[] = [
    entry('function', `${module}.${fun}`),
    entry('name', name ?? ''),
    entry('result', data.has('result') ? data.get('result')! : ''),
    entry('duration', data.get('duration') ?? new Float(0)),
    entry('comment', data.get('comment') ?? ''),
  ]
  const changes = data.get('changes') ?? null
  const hasChanges = truthy(result) && isDict(changes) && changes.size > 0
  if (hasChanges) entries.push(entry('changes', entriesOf(changes)))
  const started = data.get('start_time') ?? ''
  if (truthy(started)) entries.push(entry('started', started))
  return entry(id ?? '', entries, truthy(result) ? (hasChanges ? 'changed' : 'unchanged') : 'failed')
}

export function reportOf(ret: Dict, options: Options): Report {
  const returned = ret.get('return') ?? null
  const states = (isDict(returned) ? [...returned] : []) as Array<[Value, Dict]>
  states.sort(([, a], [, b]) => order(a.get('__run_num__') ?? 0, b.get('__run_num__') ?? 0) ?? 0)
  const failed = states.filter(([, data]) => data.has('result') && !truthy(data.get('result')!)).length
  const changed = states.filter(([, data]) => truthy(data.get('changes') ?? null)).length
  const duration = states.reduce((sum, [, data]) => sum + (numberOf(data.get('duration') ?? 0) ?? 0), 0)
  const isOn = (name: string, fallback: boolean): boolean => truthy(options[name] ?? fallback)
  const isWanted =
    isOn('report_everything', false) ||
    (isOn('report_changes', true) && changed > 0) ||
    (isOn('report_failures', true) && failed > 0)
  if (!isWanted) return { entries: [], failed }
  const stats = [
    entry('total', states.length),
    entry('failed', failed, 'failed'),
    entry('unchanged', states.length - failed - changed, 'unchanged'),
    entry('changed', changed, 'changed'),
    entry('duration', new Float(duration)),
  ]
  const job = [
    entry('function', ret.get('fun') ?? ''),
    entry('arguments', ret.get('fun_args') ?? ''),
    entry('jid', ret.get('jid') ?? ''),
    entry('success', ret.get('success') ?? true),
    entry('retcode', ret.get('retcode') ?? 0),
  ]
  const shown = states.map(([tag, data]) => stateEntry(tag, data))
  return { entries: [entry('stats', stats), entry('job', job), entry('states', shown)], failed }
}

// The outputter of state runs: each minion's states with a summary; runs within runs (orchestration) are indented below
// the state that started them.
import { type Dict, isDict, isInt, splitLines, str, textOf, truthy, type Value } from '../../data/mod.ts'
import { attributeError, dictFor, getOr, need, type Outputter, type Screen, screenFlag } from '../outputter.ts'
import { needSpaces } from '../text.ts'
import { compressIds } from './compress-ids.ts'
import { hostText, isOrchestration, type Within } from './host.ts'

export const highstate: Outputter = (data, screen) =>
  runText(data, needSpaces(getOr(screen.kwargs, 'indent_level', 1)), screen)

const STEP = 14

function runText(given: Value, level: number, screen: Screen): string {
  const data = unwrapped(given)
  if (data === null) return 'None'
  const text = textOf(data)
  if (text !== undefined) return text
  // Salt gives a number back as it is, and cannot print it
  if (typeof data === 'boolean' || isInt(data)) throw attributeError(data, 'rstrip')
  const run = dictFor(data, 'keys')
  discardRetcode(run)
  const hosts = screenFlag(screen, 'state_compress_ids') ? compressIds(run, screen.log) : run
  const within: Within = { screen, level, changesOf: (state, at) => changesOf(state, at, screen) }
  const texts = [...hosts].map(([host, states]) => hostText(host, states, within)[0])
  if (texts.length === 0) {
    screen.log('error', `Data passed to highstate outputter is not a valid highstate return: ${str(hosts)}`)
  }
  return texts.join('\n')
}

/** The run inside the envelopes of a stored job and of the orchestrate runner. */
function unwrapped(given: Value): Value {
  let data = given
  for (const envelope of ['return', 'data']) {
    if (isDict(data)) data = getOr(data, envelope, data)
  }
  if (!isDict(data) || data.size !== 1) return data
  const [only] = data.values()
  if (only === undefined || !isDict(only) || !only.has('jid') || !only.has('fun')) return data
  return getOr(dictFor(getOr(only, 'return', new Map()), 'get'), 'data', data)
}

/** Remove an orchestration's return code, which is beside the key with its master. */
function discardRetcode(run: Dict): void {
  let masters = 0
  for (const key of run.keys()) {
    const name = textOf(key)
    if (name === undefined) throw attributeError(key, 'endswith')
    if (name.endsWith('_master')) masters++
  }
  if (masters === 1) run.delete('retcode')
}

function changesOf(state: Dict, level: number, screen: Screen): [changed: boolean, text: string] {
  const changes = need(state, 'changes')
  if (isOrchestration(state)) {
    const indent = ' '.repeat(Math.max(0, STEP * level))
    const text = `\n${runText(changes, level + 1, screen)}`
    return [true, indent + text.replaceAll('\n', `\n${indent}`)]
  }
  if (!truthy(changes)) return [false, '']
  if (!isDict(changes)) return [true, `Invalid Changes data: ${str(changes)}`]
  const run = changes.get('ret') ?? null
  if (run !== null && changes.get('out') === 'highstate') return innerRun(dictFor(run, 'items'), screen)
  const kwargs = new Map<Value, Value>([['nested_indent', STEP]])
  return [true, `\n${screen.show('nested', changes, kwargs) ?? ''}`]
}

/** Minions' runs that a state of an orchestration started. */
function innerRun(hosts: Dict, screen: Screen): [changed: boolean, text: string] {
  const within: Within = { screen, level: 1, changesOf: (state, at) => changesOf(state, at, screen) }
  const indent = ' '.repeat(STEP)
  let changed = false
  let text = ''
  for (const [host, states] of hosts) {
    const [shown, any] = hostText(host, states, within)
    text += `\n${splitLines(shown)
      .map((line) => indent + line)
      .join('\n')}`
    changed ||= any
  }
  return [changed, text]
}

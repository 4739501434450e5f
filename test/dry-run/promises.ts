// The promises of a dry run about the real one, state by state: its result says whether there will be a change, success
// without one, or a failure; its changes are those of the real run.
import type { Json } from '../conformance/area.ts'
import { differences } from '../conformance/minion/difference.ts'
import { type Changes, isFairForecast } from './weaker-forms.ts'

export interface Broken {
  promise: 'untouched' | 'result' | 'changes' | 'again'
  problem: string
}

type Dict = Record<string, Json>

const isDict = (json: Json | undefined): json is Dict =>
  typeof json === 'object' && json !== null && !Array.isArray(json)

/** Tag → the result of that state; undefined when the run never came to its states. */
function statesOf(answer: Json): Record<string, Dict> | undefined {
  const states = isDict(answer) ? answer['return'] : undefined
  if (!isDict(states) || !Object.values(states).every((state) => isDict(state) && 'result' in state)) return undefined
  return states as Record<string, Dict>
}

const hasChanges = ({ changes }: Dict): boolean => isDict(changes) && Object.keys(changes).length > 0

/** The result a faithful dry run gives for this real one. */
const foretelling = (real: Dict): Json => (real['result'] === true && hasChanges(real) ? null : real['result']!)

export function foretold(dry: Json, real: Json): Broken[] {
  const [foretellings, states] = [statesOf(dry), statesOf(real)]
  if (!foretellings || !states) {
    return differences(real, dry).map((problem) => ({ promise: 'result', problem }))
  }
  const broken: Broken[] = []
  for (const tag of new Set([...Object.keys(foretellings), ...Object.keys(states)])) {
    const [said, done] = [foretellings[tag], states[tag]]
    if (!said || !done) broken.push({ promise: 'result', problem: `${tag} is in one of the runs only` })
    else broken.push(...foretoldState(tag, said, done))
  }
  return broken
}

function foretoldState(tag: string, said: Dict, done: Dict): Broken[] {
  const broken: Broken[] = []
  if (said['result'] !== foretelling(done)) {
    const seen = `${show(done['result'])} with changes ${show(done['changes'])} (${show(done['comment'])})`
    broken.push({
      promise: 'result',
      problem: `${tag} said ${show(said['result'])} (${show(said['comment'])}), then gave ${seen}`,
    })
  }
  // the partial effect of a failed state is unknown
  const isFair = isFairForecast(functionOf(tag), said['changes'] as Changes, done['changes'] as Changes)
  if (done['result'] !== false && !isFair) {
    broken.push({
      promise: 'changes',
      problem: `${tag} said ${show(said['changes'])}, then made ${show(done['changes'])}`,
    })
  }
  return broken
}

/** `file_|-id_|-name_|-managed` → `file.managed` */
const functionOf = (tag: string): string => `${tag.split('_|-')[0]}.${tag.split('_|-').at(-1)}`

/** Runs that fail may fail again; all others have nothing left to do. */
export function settled(real: Json, again: Json): Broken[] {
  const [first, second] = [statesOf(real), statesOf(again)]
  if (!first || !second) return differences(real, again).map((problem) => ({ promise: 'again', problem }))
  return Object.entries(second)
    .filter(([tag, state]) => first[tag]?.['result'] !== false && (state['result'] !== true || hasChanges(state)))
    .map(([tag, state]) => ({
      promise: 'again',
      problem: `${tag} gave ${show(state['result'])} with changes ${show(state['changes'])} (${show(state['comment'])})`,
    }))
}

const show = (json: Json | undefined): string => JSON.stringify(json ?? null)

// The lists of salt-key: a heading per state of keys, and the names or fingerprints below it.
import { decodeData, getItem, isDict, isList, keyError, sorted, str, textOf, type Value } from '../data/mod.ts'
import { need, type Outputter, screenFlag } from './outputter.ts'
import type { ColorName } from './palette.ts'
import { stripEscapes } from './text.ts'

interface KeyState {
  heading: string
  headingColor: ColorName
  color: ColorName
}

const PENDING: KeyState = { heading: 'Unaccepted Keys:', headingColor: 'LIGHT_RED', color: 'RED' }
const ACCEPTED: KeyState = { heading: 'Accepted Keys:', headingColor: 'LIGHT_GREEN', color: 'GREEN' }
const DENIED: KeyState = { heading: 'Denied Keys:', headingColor: 'LIGHT_MAGENTA', color: 'MAGENTA' }
const REJECTED: KeyState = { heading: 'Rejected Keys:', headingColor: 'LIGHT_BLUE', color: 'BLUE' }
const LOCAL: KeyState = { heading: 'Local Keys:', headingColor: 'LIGHT_MAGENTA', color: 'MAGENTA' }

const STATES = new Map<Value, KeyState>([
  ['minions', ACCEPTED],
  ['minions_pre', PENDING],
  ['minions_denied', DENIED],
  ['minions_rejected', REJECTED],
  ['local', LOCAL],
])

/** The names if the transport is not one of Salt's. */
const FOREIGN_STATES = new Map<Value, KeyState>([
  ['accepted', ACCEPTED],
  ['pending', PENDING],
  ['rejected', REJECTED],
  ['local', LOCAL],
])

const TRANSPORTS = new Set<Value>(['zeromq', 'tcp', 'ws'])

export const key: Outputter = (data, screen) => {
  const { colors, opts } = screen
  const margin = screenFlag(screen, '__multi_key') ? '    ' : ''
  const states = TRANSPORTS.has(need(opts, 'transport')) ? STATES : FOREIGN_STATES
  const lines: string[] = []
  for (const name of sorted(data)) {
    const state = states.get(name)
    if (state === undefined) throw keyError(name)
    lines.push(`${margin}${colors[state.headingColor]}${state.heading}${colors.ENDC}`)
    const keys = getItem(data, name)
    for (const label of keyLabels(keys, screenFlag(screen, 'strip_colors', true))) {
      lines.push(`${margin}${colors[state.color]}${label}${colors.ENDC}`)
    }
  }
  return lines.join('\n')
}

function* keyLabels(keys: Value, strip: boolean): Generator<string> {
  for (const given of sorted(keys)) {
    const name = decodeData(given)
    const text = textOf(name)
    const label = text !== undefined && strip ? stripEscapes(text) : str(name)
    if (isList(keys)) yield label
    else if (isDict(keys)) yield `${label}:  ${str(getItem(keys, name))}`
  }
}

// A state in one line. `state_tabular` asks for aligned columns, or is the line's format itself.
import {
  type Dict,
  formatTemplate,
  getItem,
  indexError,
  isDict,
  keyError,
  PyObject,
  textOf,
  truthy,
  type Value,
} from '../../data/mod.ts'
import { attributeError, getOr, need, type Screen, screenFlag } from '../outputter.ts'
import { joinedWarnings } from './warnings.ts'

/** An ANSI sequence: it can be printed, but not padded. */
class ColorCode extends PyObject {
  readonly typeName = 'TextFormat'
  private readonly code: string

  constructor(code: string) {
    super()
    this.code = code
  }

  override repr(): string {
    return this.code
  }
}

export function terseLine(color: string, parts: readonly string[], state: Dict, screen: Screen): string {
  const template = templateFor(state, screen)
  const [module, , name] = parts
  if (name === undefined) throw indexError('list index out of range')
  return formatTemplate(template, {
    positional: [
      colorValue(color),
      name,
      module!,
      parts.at(-1)!,
      outcome(state),
      colorValue(screen.colors.ENDC),
      state,
    ],
    named: (field) => {
      throw keyError(field)
    },
    getAttr: (object, attribute) => {
      throw attributeError(object, attribute)
    },
    getItem,
  })
}

const colorValue = (code: string): Value => (code === '' ? '' : new ColorCode(code))

function outcome(state: Dict): string {
  const changed = truthy(need(state, 'changes'))
  const result = need(state, 'result')
  if (result === false) return 'Failed'
  if (result === null) return 'Differs'
  return changed ? 'Changed' : 'Clean'
}

function templateFor(state: Dict, screen: Screen): string {
  const tabular = getOr(screen.opts, 'state_tabular', false)
  const timed = screenFlag(screen, 'state_output_profile') && state.has('start_time')
  if (tabular === true) {
    const clock = timed ? '{6[start_time]!s} [{6[duration]!s:>7} ms] ' : ''
    return `${warned(state, screen, '\n')}{0}${clock}{2:>10}.{3:<10} {4:7}   Name: {1}{5}`
  }
  const own = textOf(tabular)
  if (own !== undefined) return own
  const clock = timed ? ' - Started: {6[start_time]!s} - Duration: {6[duration]!s} ms' : ''
  return `${warned(state, screen, '')} {0} Name: {1} - Function: {2}.{3} - Result: {4}${clock}{5}`
}

/**
 * Insert warnings into the format itself, so braces in them are fields: as in Salt, the data is then shown as nested.
 */
function warned(state: Dict, { colors }: Screen, end: string): string {
  const warnings = isDict(state) ? state.get('warnings') : undefined
  if (warnings === undefined) return ''
  return `${colors.LIGHT_RED}Warnings:\n${joinedWarnings(warnings)}${colors.ENDC}${end}`
}

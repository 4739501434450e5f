// Whether high data has the shape of states: every fault is reported, with Salt's words.
import type { Position } from '../../base/mod.ts'
import { isA, recover } from '../../base/mod.ts'
import { assertHashable, type Dict, isList, PyError, str, strip, textOf, typeName, type Value } from '../../data/mod.ts'
import { REQUISITE_KEYWORDS } from './keywords.ts'
import { required } from './low-tag.ts'
import type { Places } from './places.ts'
import { firstKey, textKey } from './text-key.ts'
import type { CompileError } from './types.ts'

/** Reports a fault, at the place of the state unless another is given. */
type Report = (text: string, at?: Position) => void

interface Declaration {
  id: Value
  body: Dict
  places: Places
  errors: CompileError[]
}

export function verifyHigh(high: Value, places: Places): CompileError[] {
  if (!(high instanceof Map)) return [{ text: 'High data is not a dictionary and is invalid' }]
  const errors: CompileError[] = []
  high.forEach((body, id) => {
    const name = textOf(id)
    if (name === undefined) errors.push(noText(id, body, places))
    else if (name.startsWith('__')) return
    if (!(body instanceof Map)) {
      errors.push({ text: `The type ${str(id)} in ${str(body)} is not formatted as a dictionary` })
      return
    }
    body.forEach((args, key) => {
      const state = textKey(key)
      if (!state.startsWith('__')) verifyState(state, args, { id, body, places, errors })
    })
  })
  return errors
}

const slsOf = (body: Dict): string => str(required(body, '__sls__'))

function noText(id: Value, body: Value, places: Places): CompileError {
  const sls = body instanceof Map ? slsOf(body) : ''
  const text = `ID '${str(id)}' in SLS '${sls}' is not formed as a string, but is type ${typeName(id)}. It may need to be quoted.`
  return { text, at: places.of(body) }
}

function verifyState(state: string, args: Value, declaration: Declaration): void {
  const { id, body, places, errors } = declaration
  const report: Report = (text, at = places.ofState(body, state)) => void errors.push({ text, at })
  if (args === null) {
    report(
      `ID '${str(id)}' in SLS '${slsOf(body)}' contains a short declaration (${state}) with a trailing colon. ` +
        'When not passing any arguments to a state, the colon must be omitted.',
    )
    return
  }
  if (!isList(args)) return report(`State '${str(id)}' in SLS '${slsOf(body)}' is not formed as a list`)
  const functions = state.includes('.') ? [state.slice(state.indexOf('.') + 1)] : []
  for (const arg of args) {
    const fun = textOf(arg)
    if (fun !== undefined) {
      functions.push(fun)
      if (fun.includes(' ') && strip(fun).includes(' ')) report(blankInFunction(fun, id, body))
    } else if (arg instanceof Map) verifyArgument(arg, declaration, report)
  }
  if (functions.length === 0) report(`No function declared in state '${str(id)}' in SLS '${slsOf(body)}'`)
  else if (functions.length > 1) {
    report(
      `Too many functions declared in state '${str(id)}' in SLS '${slsOf(body)}'. ` +
        `Please choose one of the following: ${functions.join(', ')}`,
    )
  }
}

function blankInFunction(fun: string, id: Value, body: Dict): string {
  return (
    `The function "${fun}" in state "${str(id)}" in SLS "${slsOf(body)}" has whitespace, a function with whitespace is ` +
    'not supported, perhaps this is an argument that is missing a ":"'
  )
}

function verifyArgument(arg: Dict, { id, body, places }: Declaration, report: Report): void {
  const key = firstKey(arg)
  if (key === undefined) throw new PyError('StopIteration', '')
  const value = arg.get(key)!
  // only a fault needs its place
  const here = (): Position | undefined => places.of(arg, key)
  if (key === 'names' && !isList(value)) {
    report(`The 'names' argument in state '${str(id)}' in SLS '${slsOf(body)}' needs to be formed as a list`, here())
  }
  if (typeof key !== 'string' || !REQUISITE_KEYWORDS.has(key)) return
  if (isList(value)) {
    for (const [index, requisite] of value.entries()) {
      for (const text of requisiteFaults(requisite, id, body)) report(text, places.of(value, index))
    }
  } else
    report(`The ${key} statement in state '${str(id)}' in SLS '${slsOf(body)}' needs to be formed as a list`, here())
  if (arg.size !== 1) {
    report(`Multiple dictionaries defined in argument of state '${str(id)}' in SLS '${slsOf(body)}'`, here())
  }
}

function* requisiteFaults(requisite: Value, id: Value, body: Dict): Generator<string> {
  if (textOf(requisite) !== undefined) return
  if (!(requisite instanceof Map) || requisite.size !== 1) {
    yield `Requisite declaration ${str(requisite)} in state ${str(id)} in SLS ${slsOf(body)} is not formed as a single key dictionary`
    return
  }
  for (const [key, value] of requisite) {
    const type = textOf(key)
    if (type?.includes('.')) {
      yield `Invalid requisite type '${type}' in state '${str(id)}', in SLS '${slsOf(body)}'. ` +
        `Requisite types must not contain dots, did you mean '${type.slice(0, type.indexOf('.'))}'?`
    }
    if (!isHashable(value)) {
      yield `Illegal requisite "${str(value)}" in SLS "${slsOf(body)}", please check your syntax.\n`
    }
  }
}

function isHashable(value: Value): boolean {
  return recover(isA(PyError), false, () => {
    assertHashable(value)
    return true
  })
}

// Reads a format specification: [[fill]align][sign][z][#][0][width][grouping][.precision][type].
import { PyError, valueError } from '../errors.ts'

export interface FormatSpec {
  fill: string
  align: '<' | '>' | '^' | '='
  alignGiven: boolean
  sign: '' | '+' | '-' | ' '
  /** `z`: a result that rounds to zero has no minus. */
  noMinusZero: boolean
  alternate: boolean
  width: number
  grouping: '' | ',' | '_'
  /** -1 if there is none. */
  precision: number
  type: string
}

/** Wider results would only fill the memory. */
const WIDEST = 1 << 28

/** Return the specification for a value of this type, whose alignment is the default. */
export function parseSpec(spec: string, typeName: string, align: '<' | '>'): FormatSpec {
  const chars = [...spec]
  let at = 0
  const result: FormatSpec = {
    fill: ' ',
    align,
    alignGiven: false,
    sign: '',
    noMinusZero: false,
    alternate: false,
    width: 0,
    grouping: '',
    precision: -1,
    type: '',
  }
  const isAlign = (char: string | undefined): char is FormatSpec['align'] => char !== undefined && '<>=^'.includes(char)
  let fillGiven = false
  if (isAlign(chars[1])) {
    result.fill = chars[0]!
    result.align = chars[1]
    result.alignGiven = fillGiven = true
    at = 2
  } else if (isAlign(chars[0])) {
    result.align = chars[0]
    result.alignGiven = true
    at = 1
  }
  const sign = chars[at]
  if (sign === '+' || sign === '-' || sign === ' ') {
    result.sign = sign
    at++
  }
  if (chars[at] === 'z') {
    result.noMinusZero = true
    at++
  }
  if (chars[at] === '#') {
    result.alternate = true
    at++
  }
  if (!fillGiven && chars[at] === '0') {
    result.fill = '0'
    if (!result.alignGiven) result.align = '='
    at++
  }
  const number = (): string => {
    let digits = ''
    while (chars[at] !== undefined && /[0-9]/.test(chars[at]!)) digits += chars[at++]
    return digits
  }
  result.width = sized(number())
  at = parseGrouping(chars, at, result)
  if (chars[at] === '.') {
    at++
    const digits = number()
    if (digits === '') throw valueError('Format specifier missing precision')
    result.precision = sized(digits)
  }
  if (chars.length - at > 1) {
    throw valueError(`Invalid format specifier '${spec}' for object of type '${typeName}'`)
  }
  result.type = chars[at] ?? ''
  checkGrouping(result, typeName)
  return result
}

function sized(digits: string): number {
  if (Number(digits) > Number.MAX_SAFE_INTEGER) throw valueError('Too many decimal digits in format string')
  if (Number(digits) > WIDEST) throw new PyError('MemoryError', '')
  return Number(digits)
}

function parseGrouping(chars: string[], start: number, result: FormatSpec): number {
  let at = start
  if (chars[at] === ',') {
    result.grouping = ','
    at++
  }
  if (chars[at] === '_') {
    if (result.grouping !== '') throw valueError("Cannot specify both ',' and '_'.")
    result.grouping = '_'
    at++
  }
  if (chars[at] === ',' && result.grouping === '_') throw valueError("Cannot specify both ',' and '_'.")
  return at
}

/** Check which types support grouping; text has its own check. */
function checkGrouping({ grouping, type }: FormatSpec, typeName: string): void {
  if (grouping === '' || 'deEfFgG%'.includes(type)) {
    if (type !== '' || grouping === '' || typeName !== 'str') return
    throw valueError(`Cannot specify '${grouping}' with 's'.`)
  }
  if (grouping === '_' && 'boxX'.includes(type)) return
  const code = type.codePointAt(0)!
  const shown = code > 32 && code < 128 ? type : `\\x${code.toString(16)}`
  throw valueError(`Cannot specify '${grouping}' with '${shown}'.`)
}

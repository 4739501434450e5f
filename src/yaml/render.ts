// Salt's `yaml` renderer: the last stage of an SLS or a pillar file.
import { PyError, truthy, type Value } from '../data/mod.ts'
import { YamlError } from './errors.ts'
import { construct, type LoadOptions } from './load.ts'

/** Python's recursion limit, which the renderer's walk over the data runs into. */
const DEEPEST = 1000

/** Return the value of an SLS file; every map is an OrderedDict, and an empty or false value becomes an empty dict. */
export function renderYaml(text: string, options: LoadOptions = {}): Value {
  const value = constructForRender(text, options)
  if (!truthy(value)) return new Map()
  // only an alias or a tag can make the value deeper than the text, whose depth the parser has checked
  if (/[*!]/.test(text)) measure(value, 1, new Map())
  return value
}

function constructForRender(text: string, options: LoadOptions): Value {
  try {
    return construct(text, options, true)
  } catch (error) {
    if (error instanceof YamlError) throw rewrapped(error)
    throw error
  }
}

/** Salt shows a scanner's error without its place, which it carries as `line`, and others in full. */
function rewrapped(error: YamlError): YamlError {
  const { problem, context, problemAt, contextAt, hint } = error
  const details = { problem, context, problemAt, contextAt, hint, cause: error }
  switch (error.code) {
    case 'ScannerError':
      return new YamlError('SaltRenderError', error.problem!, { ...details, line: error.problemAt!.line })
    case 'ParserError':
    case 'ConstructorError':
      return new YamlError('SaltRenderError', error.message, details)
    default:
      return error
  }
}

/** Return the depth of a value; throw if it contains itself or is nested deeper than Python could walk. */
function measure(value: Value, depth: number, heights: Map<object, number>): number {
  if (typeof value !== 'object' || value === null || !(Array.isArray(value) || value instanceof Map)) return 0
  const known = heights.get(value)
  if (known !== undefined && depth + known <= DEEPEST) return known
  if (depth > DEEPEST || known !== undefined) throw new PyError('RecursionError', 'maximum recursion depth exceeded')
  heights.set(value, Number.POSITIVE_INFINITY)
  let height = 0
  for (const item of value.values()) height = Math.max(height, 1 + measure(item, depth + 1, heights))
  heights.set(value, height)
  return height
}

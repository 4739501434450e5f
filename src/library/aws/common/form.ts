// Parameters of requests as forms: nested dicts and lists under names with dots.
import { awsEscaped } from '../../../sdk/mod.ts'

export type Parameter = string | number | bigint | boolean | null | undefined | readonly Parameter[] | Parameters
export interface Parameters {
  readonly [name: string]: Parameter
}

/** Return the parameters as pairs. Null and undefined values are left out. */
function pairsOf(parameter: Parameter, name: string, isFlat: boolean): [string, string][] {
  if (parameter === null || parameter === undefined) return []
  if (typeof parameter !== 'object') return [[name, String(parameter)]]
  if (isList(parameter)) {
    const word = isFlat ? '' : '.member'
    return parameter.flatMap((item, index) => pairsOf(item, `${name}${word}.${index + 1}`, isFlat))
  }
  const prefix = name === '' ? '' : `${name}.`
  return Object.entries(parameter).flatMap(([key, item]) => pairsOf(item, `${prefix}${key}`, isFlat))
}

const isList = (parameter: readonly Parameter[] | Parameters): parameter is readonly Parameter[] =>
  Array.isArray(parameter)

/** Return parameters as a form or a query, sorted by name. */
export function formText(parameters: Parameters, isFlat: boolean): string {
  return pairsOf(parameters, '', isFlat)
    .map(([name, value]) => [awsEscaped(name), awsEscaped(value)] as const)
    .sort(([one, first], [other, second]) => (one === other ? (first < second ? -1 : 1) : one < other ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
}
